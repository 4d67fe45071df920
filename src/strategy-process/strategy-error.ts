/** What is wrong with a strategy: one sentence or several for its author and for whoever trades with it. */
export class StrategyError extends Error {
  override readonly name = 'StrategyError';
  readonly faults: readonly string[];

  constructor(faults: string | readonly string[], options?: ErrorOptions) {
    const list = typeof faults === 'string' ? [faults] : faults;
    super(list.join('\n'), options);
    this.faults = list;
  }
}
