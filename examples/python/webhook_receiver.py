#!/usr/bin/env python3
"""Takes Loudsmith's callbacks, verifies their signature and downloads the result under the name of the song.

Standard library only.

Usage: LOUDSMITH_WEBHOOK_SECRET=whsec_... LOUDSMITH_KEY=ams_live_... python3 webhook_receiver.py 8099
"""
import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import shutil
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

if len(sys.argv) < 2 or "LOUDSMITH_WEBHOOK_SECRET" not in os.environ:
    sys.exit(__doc__)
SECRET = base64.b64decode(os.environ["LOUDSMITH_WEBHOOK_SECRET"].removeprefix("whsec_"))
KEY = os.environ.get("LOUDSMITH_KEY")
URL = os.environ.get("LOUDSMITH_URL", "http://127.0.0.1:47310")
TOLERANCE_SECONDS = 300
MAX_BYTES = 65536  # A callback has about 250.
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
seen = set()


def is_genuine(headers, body):
    """Whether the body was signed with our secret, not long ago (Standard Webhooks 1.0)."""
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode("latin-1") + body
    expected = "v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    # The header may hold several signatures, separated by spaces.
    given = headers.get("webhook-signature", "").encode("latin-1", "replace").split(b" ")
    return any(hmac.compare_digest(expected.encode(), one) for one in given)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Urllib would send the key along to wherever an answer points."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def get(path):
    """Returns the open answer of the service and waits for it as long as the service asks for; raises OSError."""
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {KEY}"})
    while True:
        try:
            return OPENER.open(request, timeout=300)
        except urllib.error.HTTPError as answer:
            retry_after = answer.headers.get("Retry-After")
            if retry_after is None:
                raise
            time.sleep(float(retry_after))


def save(job_id):
    """Writes the ZIP of a job that is done to a file, whole or not at all; raises OSError.

    The key goes to our own service and nowhere else, so the address of the callback is not used.
    """
    if not UUID.fullmatch(job_id):
        raise OSError("the callback names no job")
    with get(f"/api/v1/jobs/{job_id}") as answer:
        song = json.load(answer)["filename"]
    # The song's name without what file systems refuse, and enough of the job to be the only one.
    stem = os.path.splitext(re.sub(r'[\\/:*?"<>|\x00-\x1f\x7f]', "_", song))[0]
    result = pathlib.Path(f"{stem}_{job_id[:8]}.zip")
    part = result.with_name(result.name + ".part")
    try:
        with get(f"/api/v1/jobs/{job_id}/download") as answer, open(part, "wb") as file:
            shutil.copyfileobj(answer, file)
            # Read in parts, an answer that breaks off looks like one that has ended.
            if file.tell() != int(answer.headers["Content-Length"]):
                raise OSError("the download broke off")
        part.replace(result)
    finally:
        part.unlink(missing_ok=True)


def act(event_id, event):
    """What to do about an event; it runs after the answer, so that the service need not wait."""
    if event["event"] == "job.failed":
        print("failed", event["job_id"], event["error_message"], flush=True)
    elif event["event"] == "job.completed":
        if KEY:
            try:
                save(event["job_id"])
            except OSError as problem:
                # Sent again from the settings, it is another try.
                seen.discard(event_id)
                print("not downloaded", event["job_id"], problem, flush=True)
                return
        print("completed", event["job_id"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAX_BYTES:
            self.send_error(413)
            return
        body = self.rfile.read(int(length))
        genuine = is_genuine(self.headers, body)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        event_id = self.headers.get("webhook-id")
        if not genuine:
            print("refused", flush=True)
        elif event_id not in seen:  # The same event can come again; it is handled once.
            seen.add(event_id)
            threading.Thread(target=act, args=(event_id, json.loads(body))).start()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
    print(f"listening http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
