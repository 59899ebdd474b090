/**
 * Makes a queue for the requests about one thing. They are made one after another, in the order in which they were asked for: so
 * they arrive in it, and no answer overtakes a newer one. One that fails does not hold up the next. Each answers as it did alone.
 */
export function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const mine = last.then(run)
    last = mine.catch(() => undefined)
    return mine
  }
}
