/** What goes wrong with an answer. */
export type RestFault =
  | { kind: 'hang' } // the request is read, no answer ever comes
  | { kind: 'reset' } // the connection is torn down
  | { kind: 'delay'; ms: number }
  | { kind: 'cut-body' } // half of the body, then the connection closes
  | { kind: 'stall-body' } // half of the body, then silence
  | { kind: 'drip-body'; everyMs: number } // byte by byte, so that it is never silent for long and never done
  | { kind: 'body'; status?: number; body: string; contentType?: string } // this body instead, e.g. broken JSON or HTML
  | { kind: 'late-answer'; ms: number } // the answer is made at once and arrives after a while
  | { kind: 'error'; status: number; code: number; message: string } // an error as the exchange words it
  | { kind: 'limit'; status: 429 | 418; retryAfterSeconds: number };

/** Which requests a fault meets, and how often. */
export interface RestFaultRule {
  fault: RestFault;
  path?: RegExp | string; // a pattern, or a part of the path such as '/klines'; without it every path
  method?: string; // 'GET'; without it every method
  times?: number; // how many requests it meets; without it all until it is removed
  skip?: number; // how many matching requests pass before
  /** Whether the request is carried out although its answer is lost; never at a limit, which comes before all else. Market data does not care, orders do. */
  carriedOut?: boolean;
}

/** What goes wrong with sockets. */
export interface SocketFaults {
  /** Tears down all sockets whose path contains the text; answers how many. */
  drop(path?: string): number;
  /** Closes all such sockets properly with a code. */
  close(code?: number, path?: string): number;
  /** Ends the streams of a pair such as 'ETHUSDT' and keeps their sockets; answers how many. */
  endStreams(pair: string): number;
  /** Keeps all such sockets open, now and those to come, but sends nothing, not even pongs. */
  silence(path?: string): void;
  /** Sends each of the next frames twice. */
  duplicate(frames: number, path?: string): void;
  /** Leaves out the next frames. */
  gap(frames: number, path?: string): void;
  /** Sends the next frames together, the last of them first. */
  reorder(frames: number, path?: string): void;
  /** Refuses the next connections. */
  refuse(times: number): void;
}

/** The faults of a sandbox: added and removed while it runs. */
export interface Faults {
  /** Adds a rule; the returned function removes it. */
  add(rule: RestFaultRule): () => void;
  /** The rules that are still in force. */
  list(): readonly RestFaultRule[];
  /** Removes all rules and ends all socket faults. */
  clear(): void;
  readonly sockets: SocketFaults;
}

/** The faults of REST answers; rules are tried in the order they were added. */
export class RestFaults {
  #rules: { rule: RestFaultRule; met: number }[] = [];

  add(rule: RestFaultRule): () => void {
    const entry = { rule, met: 0 };
    this.#rules.push(entry);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== entry);
    };
  }

  list(): readonly RestFaultRule[] {
    return this.#rules.map(({ rule }) => rule);
  }

  clear(): void {
    this.#rules = [];
  }

  /** The rule that meets this request, if any; it is used up by one. */
  take(method: string, path: string): RestFaultRule | null {
    for (const entry of this.#rules) {
      const { rule } = entry;
      if (rule.method !== undefined && rule.method !== method) continue;
      if (!matches(rule.path, path)) continue;
      entry.met += 1;
      const skip = rule.skip ?? 0;
      if (entry.met <= skip) continue;
      if (rule.times !== undefined && entry.met - skip >= rule.times) this.#rules = this.#rules.filter((other) => other !== entry);
      return rule;
    }
    return null;
  }
}

function matches(pattern: RegExp | string | undefined, path: string): boolean {
  if (pattern === undefined) return true;
  return typeof pattern === 'string' ? path.includes(pattern) : pattern.test(path);
}
