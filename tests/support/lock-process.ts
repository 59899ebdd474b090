/** Another program: takes the write lock of a database file, says so, and holds it until it is killed or its parent ends. */
import Database from 'better-sqlite3'

const db = new Database(process.argv[2] ?? '')
db.exec('BEGIN IMMEDIATE')
process.send?.('locked')
// Also keeps the connection from being collected, and the lock with it.
process.on('disconnect', () => db.close())
