/** Rates that microcontrollers are made for; the protocol takes any from 300 to 2 000 000 (uart-mcp.md §1). */
export const bauds: readonly number[] = [9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 2_000_000]
