/**
 * Roles of a grid whose rows are cards: selected as rows of a grid are, but no table. They are spread over elements, so that each element
 * names its role where it is used.
 */
export const grid = (label: string) => ({ role: 'grid', 'aria-multiselectable': true, 'aria-label': label }) as const
export const gridRow = (isSelected: boolean) => ({ role: 'row', 'aria-selected': isSelected }) as const
export const GRID_HEADER = { role: 'rowheader' } as const
export const GRID_CELL = { role: 'gridcell' } as const
/** Roles of the cells of a table that is written in: they are selected one by one, and some cannot be written in. */
export const selectableCell = (isHeader: boolean, isSelected: boolean, isFixed = false) => ({
  role: isHeader ? 'rowheader' : 'gridcell',
  'aria-selected': isSelected,
  'aria-readonly': isFixed,
})
