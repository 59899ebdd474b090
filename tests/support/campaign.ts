/**
 * True in `npm run campaign`, which runs every file that imports this module with all of its tests. `npm test` runs the shorter twin of
 * each.
 */
export const IS_CAMPAIGN = process.env.LOUDSMITH_CAMPAIGN === '1'
