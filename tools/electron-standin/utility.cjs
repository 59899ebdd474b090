'use strict'
// Inside a forked utility process: process.parentPort over the channel of child_process.
const { EventEmitter } = require('node:events')

const port = new EventEmitter()
port.postMessage = (message) => process.send(message)
port.start = () => {}
port.close = () => process.disconnect()
process.on('message', (data) => port.emit('message', { data, ports: [] }))
// A utility process ends with the application.
process.on('disconnect', () => process.exit(0))
// The channel is no longer Node's own: code must see a utility process, not a forked Node.
process.parentPort = port
process.type = 'utility'
