/**
 * Version of the engine's sound: changes whenever any master could come out with other bytes. Reports carry it; golden tests are
 * keyed by it.
 */
export const engineVersion = '1.1.0'
