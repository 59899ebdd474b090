/** Version of the engine's sound: changes whenever the bytes of any master could change. Reports carry it. */
export const engineVersion = '1.32.0'
