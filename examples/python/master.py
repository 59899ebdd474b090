#!/usr/bin/env python3
"""Masters one song: create the job, wait for its end, download the ZIP beside the song. Standard library only.

Usage: LOUDSMITH_KEY=ams_live_... python3 master.py song.wav [spotify,melon]
"""
import hashlib
import itertools
import json
import os
import pathlib
import shutil
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("LOUDSMITH_URL", "http://127.0.0.1:47310")
KEY = os.environ.get("LOUDSMITH_KEY")
WAIT_SECONDS = 30  # The service answers when the job has ended, or after so many seconds.
ALL_PLATFORMS = "spotify,apple_music,youtube,melon,soundcloud"


class Refused(RuntimeError):
    """The service says no."""

    def __init__(self, status, error):
        super().__init__(f"{status} {error['code']}: {error['message']}")
        self.code = error["code"]


def call(path, data=None, headers=None):
    """Returns the open answer and waits for it as long as the service asks for, saying why; raises Refused, or RuntimeError where nothing answers."""
    request = urllib.request.Request(URL + path, data=data, headers={"Authorization": f"Bearer {KEY}", **(headers or {})})
    while True:
        try:
            return urllib.request.urlopen(request, timeout=300)
        except urllib.error.HTTPError as answer:
            refused = Refused(answer.code, json.load(answer)["error"])
            retry_after = answer.headers.get("Retry-After")
            if retry_after is None:
                raise refused from None
            print("waiting:", refused, file=sys.stderr, flush=True)
            time.sleep(float(retry_after))
        except urllib.error.URLError:
            raise RuntimeError(f"no answer from {URL}. Is Loudsmith running?") from None


def multipart(fields, file):
    """Returns a multipart/form-data body and its content type."""
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    name = file.name.replace("\\", "_").replace('"', "%22")
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    parts += [head.encode(), b"Content-Type: application/octet-stream\r\n\r\n", file.read_bytes(), b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def create(song, platforms):
    """Returns the job of a song for some platforms. Run again within a day, it finds the one that it made.

    A request repeated with the same key makes no second job; another is made only when that one failed or was deleted.
    """
    body, content_type = multipart({"platforms": platforms}, song)
    key = hashlib.sha256(platforms.encode() + song.read_bytes()).hexdigest()
    for attempt in itertools.count(1):
        headers = {"Content-Type": content_type, "Idempotency-Key": f"{key}-{attempt}"}
        with call("/api/v1/master", body, headers) as answer:
            job_id = json.load(answer)["job_id"]
            is_found = "Idempotent-Replayed" in answer.headers
        if not is_found or is_of_use(job_id):
            return job_id


def is_of_use(job_id):
    try:
        with call(f"/api/v1/jobs/{job_id}") as answer:
            return json.load(answer)["status"] != "failed"
    except Refused as refused:
        if refused.code != "JOB_NOT_FOUND":
            raise
        return False


def wait(job_id):
    """Waits until the job has ended; raises RuntimeError with the reason when it failed."""
    while True:
        with call(f"/api/v1/jobs/{job_id}?wait={WAIT_SECONDS}") as answer:
            job = json.load(answer)
        if job["status"] == "done":
            return
        if job["status"] == "failed":
            raise RuntimeError(job["error_message"])


def save(job_id, result):
    """Writes the ZIP of a job to a file, whole or not at all."""
    part = result.with_name(result.name + ".part")
    try:
        with call(f"/api/v1/jobs/{job_id}/download") as answer, open(part, "wb") as file:
            shutil.copyfileobj(answer, file)
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
