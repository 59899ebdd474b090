'use strict'
// Members missing in the stand-in throw instead of being silently undefined.
const ASKED_BY_LANGUAGE = new Set([
  'then',
  'toJSON',
  'constructor',
  'prototype',
  'inspect',
  'nodeType',
  'tagName',
  'length',
])

/** Wraps an object, a class or an instance so that reading a member it lacks throws with the member's name. */
exports.strict = function strict(name, target) {
  return new Proxy(target, {
    get(object, member, receiver) {
      if (typeof member === 'symbol' || member in object || ASKED_BY_LANGUAGE.has(member) || member.startsWith('_'))
        return Reflect.get(object, member, receiver)
      throw new Error(`stand-in: ${name}.${member} of Electron is not implemented`)
    },
  })
}

/** Throws for an option whose effect the stand-in does not implement. */
exports.refuseOptions = function refuseOptions(name, given, known) {
  for (const option of Object.keys(given ?? {}))
    if (!known.includes(option)) throw new Error(`stand-in: the option ${option} of ${name} is not implemented`)
}
