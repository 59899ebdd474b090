#!/usr/bin/env node
// In words that a Node too old for the program can still read, so that it can say so.
'use strict'

const oldest = require('../package.json').engines.node.replace('>=', '')
const here = process.versions.node

if (isOlder(here)) {
  const locale = process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || ''
  const isKorean = /^ko(?![a-z])/i.test(locale)
  console.error(
    isKorean
      ? `Loudsmith에는 Node ${oldest} 이상이 필요한데 지금 버전은 ${here}이에요. 새 버전을 설치하세요.`
      : `Loudsmith needs Node ${oldest} or newer, and this is ${here}. Install a newer one.`,
  )
  process.exitCode = 1
} else {
  import('../dist/main/cli.js')
}

function isOlder(version) {
  const [major, minor] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldest.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}
