/** Writes down where something holds: a flag and the number of its tag. What was written before stays elsewhere. */
export function mark(flags: Uint8Array, tags: Uint8Array, held: Uint8Array, tag: number): void {
  for (let i = 0; i < held.length; i++) {
    if (held[i] === 0) continue;
    flags[i] = 1;
    tags[i] = tag;
  }
}
