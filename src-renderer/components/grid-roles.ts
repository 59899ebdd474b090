/**
 * ARIA roles of a grid whose rows are cards: rows are selected as in a grid, but it is no table. They are spread over
 * elements, which lets each element name its role at its place of use.
 */
export const grid = (label: string) => ({ role: 'grid', 'aria-multiselectable': true, 'aria-label': label }) as const
export const gridRow = (isSelected: boolean) => ({ role: 'row', 'aria-selected': isSelected }) as const
export const GRID_HEADER = { role: 'rowheader' } as const
export const GRID_CELL = { role: 'gridcell' } as const
/** ARIA roles of the cells of an editable table: cells are selected one by one, and some are read-only. */
export const selectableCell = (isHeader: boolean, isSelected: boolean, isFixed = false) => ({
  role: isHeader ? 'rowheader' : 'gridcell',
  'aria-selected': isSelected,
  'aria-readonly': isFixed,
})
