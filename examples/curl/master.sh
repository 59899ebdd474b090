#!/bin/sh
# Masters one song: create the job, poll it, download the ZIP beside the song.
# Usage: LOUDSMITH_KEY=ams_live_… ./master.sh song.wav [spotify,melon]
set -eu

song=$1
platforms=${2:-spotify,apple_music,youtube,melon,soundcloud}
url=${LOUDSMITH_URL:-http://127.0.0.1:47310}
result="${song%.*}_masters.zip"

# Prints the text member named $1 of the JSON on standard input.
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
call() { curl --silent --show-error --header "Authorization: Bearer $LOUDSMITH_KEY" "$@"; }

answer=$(call --form "file=@\"$song\"" --form "platforms=$platforms" "$url/api/v1/master")
job=$(printf '%s' "$answer" | member job_id)
if [ -z "$job" ]; then
  echo "not accepted: $answer" >&2
  exit 1
fi
echo "job $job"

while :; do
  answer=$(call "$url/api/v1/jobs/$job")
  case $(printf '%s' "$answer" | member status) in
    queued) sleep "${LOUDSMITH_POLL_SECONDS:-2}" ;;
    done) break ;;
    failed) echo "failed: $(printf '%s' "$answer" | member error_message)" >&2; exit 1 ;;
    *) echo "unexpected answer: $answer" >&2; exit 1 ;;
  esac
done

# --continue-at goes on where a broken download stopped.
call --fail --continue-at - --output "$result" "$url/api/v1/jobs/$job/download"
echo "$result"
