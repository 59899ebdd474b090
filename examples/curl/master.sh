#!/bin/sh
# Masters one song: create the job, wait for its end, download the ZIP beside the song.
# Usage: LOUDSMITH_KEY=ams_live_… ./master.sh song.wav [spotify,melon]
set -eu

song=${1:?Usage: LOUDSMITH_KEY=ams_live_… master.sh SONG [PLATFORMS]}
: "${LOUDSMITH_KEY:?is not set. Make a key with: npm run cli -- keys create NAME}"
platforms=${2:-spotify,apple_music,youtube,melon,soundcloud}
url=${LOUDSMITH_URL:-http://127.0.0.1:47310}
result="${song%.*}_masters.zip"

# Prints the text member named $1 of the JSON on standard input.
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
call() { curl --silent --show-error --header "Authorization: Bearer $LOUDSMITH_KEY" "$@"; }

# Calls and prints the answer with its headers; waits for as long as the service asks for.
ask() {
  while :; do
    answer=$(call --include "$@") || return 1
    wait=$(printf '%s\n' "$answer" | tr -d '\r' | sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\)$/\1/p' | head -n 1)
    [ -n "$wait" ] || break
    echo "waiting: $(printf '%s\n' "$answer" | tail -n 1)" >&2
    sleep "$wait"
  done
  printf '%s' "$answer"
}

[ -r "$song" ] || { echo "there is no file $song" >&2; exit 1; }
# Quoted for curl, which reads ; and , as its own.
quoted=$(printf '%s' "$song" | sed 's/[\\"]/\\&/g')
# The same for the same song and platforms: run again within a day, this finds the job that it made.
key=$({ echo "$platforms"; cat; } <"$song" | cksum | tr ' ' -)
attempt=1
while :; do
  answer=$(ask --header "Idempotency-Key: $key-$attempt" \
    --form "file=@\"$quoted\"" --form "platforms=$platforms" "$url/api/v1/master")
  job=$(printf '%s' "$answer" | member job_id)
  if [ -z "$job" ]; then
    echo "not accepted: $(printf '%s\n' "$answer" | tail -n 1)" >&2
    exit 1
  fi
  case $answer in *idempotent-replayed:*) ;; *) break ;; esac
  # One that failed or was deleted is made anew.
  case $(ask "$url/api/v1/jobs/$job") in
    *'"status":"failed"'* | *JOB_NOT_FOUND*) attempt=$((attempt + 1)) ;;
    *) break ;;
  esac
done
echo "job $job"

while :; do
  # Answered when the job has ended, or after half a minute.
  answer=$(ask "$url/api/v1/jobs/$job?wait=30")
  case $(printf '%s' "$answer" | member status) in
    queued) ;;
    done) break ;;
    failed) echo "failed: $(printf '%s' "$answer" | member error_message)" >&2; exit 1 ;;
    *) echo "unexpected answer: $(printf '%s\n' "$answer" | tail -n 1)" >&2; exit 1 ;;
  esac
done

# --retry waits as long as the service asks for.
call --fail --retry 5 --output "$result.part" "$url/api/v1/jobs/$job/download" || { rm -f "$result.part"; exit 1; }
mv -f "$result.part" "$result"
echo "$result"
