/** Version of the engine's sound: changes whenever any master could come out with other bytes. Reports carry it. */
export const engineVersion = '1.26.0'
