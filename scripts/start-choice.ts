/** Host that `npm start` runs Loudsmith in. */
export type Host =
  | { readonly kind: 'desktop'; readonly electronPath: string }
  | { readonly kind: 'browser'; readonly reason: string }

/**
 * Returns the desktop application if there is a display and Electron's binary, otherwise the browser with a sentence that says why.
 * `findElectron` returns the path of the binary, downloading it if necessary, or throws; it is called only with a display. Never throws.
 */
export function chooseHost(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
  findElectron: () => string,
): Host {
  if (platform === 'linux' && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) {
    return {
      kind: 'browser',
      reason: 'There is no display here, so Loudsmith opens in the browser instead of its own window.',
    }
  }
  try {
    return { kind: 'desktop', electronPath: findElectron() }
  } catch (error) {
    const cause = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return {
      kind: 'browser',
      reason: `Electron is not installed and could not be downloaded (${cause}), so Loudsmith opens in the browser instead of its own window.`,
    }
  }
}
