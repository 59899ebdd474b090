#!/usr/bin/env python3
"""Masters one song with the package requests: create the job, wait for it, download the ZIP beside the song.

Usage: LOUDSMITH_KEY=ams_live_... python3 master_requests.py song.wav [spotify,melon]
"""
import hashlib
import itertools
import os
import pathlib
import sys
import time

import requests

URL = os.environ.get("LOUDSMITH_URL", "http://127.0.0.1:47310") + "/api/v1"
KEY = os.environ.get("LOUDSMITH_KEY")
ALL_PLATFORMS = "spotify,apple_music,youtube,melon,soundcloud"
# The service waits this long for the end of a job before it answers; a shorter pause is for tests.
WAIT_SECONDS = 30  # The service answers when the job has ended, or after so many seconds.

session = requests.Session()
session.headers["Authorization"] = f"Bearer {KEY}"
# The service is on this computer: a proxy of the environment is not asked.
session.trust_env = False


class Refused(RuntimeError):
    """The service says no."""

    def __init__(self, answer):
        error = answer.json()["error"]
        super().__init__(f"{answer.status_code} {error['code']}: {error['message']}")
        self.code = error["code"]


def call(method, path, **request):
    """Returns the answer and waits for it as long as the service asks for, saying why; raises Refused, or RuntimeError where nothing answers."""
    while True:
        try:
            answer = session.request(method, URL + path, timeout=300, **request)
        except requests.RequestException:
            raise RuntimeError(f"no answer from {URL}. Is Loudsmith running?") from None
        if answer.ok:
            return answer
        refused = Refused(answer)
        if "Retry-After" not in answer.headers:
            raise refused
        print("waiting:", refused, file=sys.stderr, flush=True)
        time.sleep(float(answer.headers["Retry-After"]))


def create(song, platforms):
    """Returns the job of a song for some platforms. Run again within a day, it finds the one that it made, unless that failed or is gone."""
    content = song.read_bytes()
    key = hashlib.sha256(platforms.encode() + content).hexdigest()
    for attempt in itertools.count(1):
        answer = call(
            "POST",
            "/master",
            data={"platforms": platforms},
            files={"file": (song.name, content)},
            headers={"Idempotency-Key": f"{key}-{attempt}"},
        )
        job_id = answer.json()["job_id"]
        if "Idempotent-Replayed" not in answer.headers or is_of_use(job_id):
            return job_id


def is_of_use(job_id):
    try:
        return call("GET", f"/jobs/{job_id}").json()["status"] != "failed"
    except Refused as refused:
        if refused.code != "JOB_NOT_FOUND":
            raise
        return False


def wait(job_id):
    """Waits until the job has ended; raises RuntimeError with the reason when it failed."""
    while True:
        job = call("GET", f"/jobs/{job_id}", params={"wait": WAIT_SECONDS}).json()
        if job["status"] == "done":
            return
        if job["status"] == "failed":
            raise RuntimeError(job["error_message"])


def save(job_id, result):
    """Writes the ZIP of a job to a file, whole or not at all."""
    part = result.with_name(result.name + ".part")
    try:
        with call("GET", f"/jobs/{job_id}/download", stream=True) as answer, open(part, "wb") as file:
            for piece in answer.iter_content(1 << 20):
                file.write(piece)
            # Read in parts, an answer that breaks off looks like one that has ended.
            if file.tell() != int(answer.headers["Content-Length"]):
                raise RuntimeError("the download broke off")
        part.replace(result)
    finally:
        part.unlink(missing_ok=True)


def main():
    song = pathlib.Path(sys.argv[1])
    job_id = create(song, sys.argv[2] if len(sys.argv) > 2 else ALL_PLATFORMS)
    print("job", job_id, flush=True)
    wait(job_id)
    result = song.with_name(song.stem + "_masters.zip")
    save(job_id, result)
    print(result)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not KEY:
        sys.exit(__doc__)
    try:
        main()
    except (RuntimeError, OSError) as problem:
        sys.exit(f"not mastered: {problem}")
