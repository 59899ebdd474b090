#!/usr/bin/env python3
"""Takes Loudsmith's callbacks, verifies their signature and downloads the result. Standard library only.

Usage: LOUDSMITH_WEBHOOK_SECRET=whsec_... LOUDSMITH_KEY=ams_live_... python3 webhook_receiver.py 8099
"""
import base64
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

if len(sys.argv) < 2 or "LOUDSMITH_WEBHOOK_SECRET" not in os.environ:
    sys.exit(__doc__)
SECRET = base64.b64decode(os.environ["LOUDSMITH_WEBHOOK_SECRET"].removeprefix("whsec_"))
KEY = os.environ.get("LOUDSMITH_KEY")
TOLERANCE_SECONDS = 300
seen = set()


def is_genuine(headers, body):
    """Whether the body was signed with our secret, not long ago (Standard Webhooks 1.0)."""
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    # The header may hold several signatures, separated by spaces.
    return any(hmac.compare_digest(expected, given) for given in headers.get("webhook-signature", "").split(" "))


def save(event):
    """Writes the ZIP of a job that is done to a file, whole or not at all; raises OSError."""
    result = pathlib.Path(event["job_id"] + ".zip")
    part = result.with_name(result.name + ".part")
    request = urllib.request.Request(event["download_url"], headers={"Authorization": f"Bearer {KEY}"})
    try:
        with urllib.request.urlopen(request) as answer, open(part, "wb") as file:
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
                save(event)
            except OSError as problem:
                # Sent again from the settings, it is another try.
                seen.discard(event_id)
                print("not downloaded", event["job_id"], problem, flush=True)
                return
        print("completed", event["job_id"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
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
