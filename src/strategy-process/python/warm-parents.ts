import type { Walls } from '../child-command.ts';
import { parentCommand } from './python-command.ts';
import { WarmParent } from './warm-parent.ts';

/** The warm parents of this program, one for each Python: started when it is needed first, and again after it has ended in whatever way. */
export class WarmParents {
  readonly #walls: Walls;
  readonly #idleMs: number | undefined;
  readonly #parents = new Map<string, WarmParent>(); // by program

  /** Each ends when it has had no copy for `idleMs`. */
  constructor(walls: Walls, idleMs?: number) {
    this.#walls = walls;
    this.#idleMs = idleMs;
  }

  /** The parent of a Python. */
  of(program: string): WarmParent {
    const known = this.#parents.get(program);
    if (known !== undefined && !known.isOver) return known;
    const parent = new WarmParent(parentCommand(program, this.#walls), this.#idleMs);
    this.#parents.set(program, parent);
    return parent;
  }

  /** Ends them with all their copies. */
  end(): void {
    for (const parent of this.#parents.values()) parent.end();
  }
}
