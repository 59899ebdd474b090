/**
 * Whether this is `npm run campaign`, which runs every file that imports this module, with all of its tests. `npm test` runs the
 * shorter twin that stands beside each of them.
 */
export const IS_CAMPAIGN = process.env.LOUDSMITH_CAMPAIGN === '1'
