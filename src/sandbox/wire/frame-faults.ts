/** What goes wrong with the next frames of a stream. */
export type FrameFault = 'duplicate' | 'gap' | 'reorder';

interface Rule {
  fault: FrameFault;
  path: string;
  left: number; // frames
  held: string[]; // of a sequence that will be reversed
}

/** Faults of single frames: sent twice, left out, or in the reverse sequence. */
export class FrameFaults {
  #rules: Rule[] = [];

  /** The next so many frames on sockets whose path contains the text. */
  add(fault: FrameFault, frames: number, path: string): void {
    this.#rules.push({ fault, path, left: frames, held: [] });
  }

  clear(): void {
    this.#rules = [];
  }

  /** What is sent in place of a frame. */
  pass(path: string, frame: string): string[] {
    const rule = this.#rules.find((each) => path.includes(each.path));
    if (rule === undefined) return [frame];
    rule.left -= 1;
    if (rule.left <= 0) this.#rules = this.#rules.filter((other) => other !== rule);
    if (rule.fault === 'gap') return [];
    if (rule.fault === 'duplicate') return [frame, frame];
    rule.held.unshift(frame);
    return rule.left <= 0 ? rule.held : [];
  }
}
