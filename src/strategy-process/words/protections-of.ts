import type { Protection } from '#engine/settings/protection.ts';
import type { ConfigReader } from './config-reader.ts';

type Span = Pick<Protection, 'lookbackMinutes' | 'lookbackCandles' | 'stopMinutes' | 'stopCandles' | 'unlockAt'>;

const methods = ['CooldownPeriod', 'StoplossGuard', 'LowProfitPairs', 'MaxDrawdown'] as const;

/** The protections of a configuration, in its order; faults are noted with the reader. */
export function protectionsOf(readers: readonly ConfigReader[]): Protection[] {
  return readers.flatMap((reader) => {
    const method = reader.choice('method', methods);
    if (method === undefined) {
      if (!reader.has('method')) reader.refuse(`Each of "protections" needs a "method": ${methods.join(', ')}.`);
      return [];
    }
    const protection = { ...spanOf(reader), ...kindOf(reader, method) } as Protection;
    reader.end();
    return [protection];
  });
}

function kindOf(reader: ConfigReader, method: (typeof methods)[number]): object {
  if (method === 'CooldownPeriod') {
    reader.allow(['trade_limit']);
    return { kind: 'cooldown' };
  }
  const limit = given({ tradeLimit: reader.count('trade_limit') });
  if (method === 'MaxDrawdown') {
    const maxAllowedDrawdown = reader.number('max_allowed_drawdown') ?? 0;
    const mode = reader.choice('calculation_mode', ['ratios', 'equity']);
    return { kind: 'max-drawdown', ...limit, maxAllowedDrawdown, ...given({ mode }) };
  }
  const terms = given({ requiredProfit: reader.number('required_profit'), onlyPerSide: reader.boolean('only_per_side') });
  if (method === 'LowProfitPairs') {
    reader.allow(['only_per_pair']);
    return { kind: 'low-profit', ...limit, ...terms };
  }
  return { kind: 'stoploss-guard', ...limit, ...terms, ...given({ onlyPerPair: reader.boolean('only_per_pair') }) };
}

function spanOf(reader: ConfigReader): Span {
  const span = {
    lookbackMinutes: reader.number('lookback_period'),
    lookbackCandles: reader.count('lookback_period_candles'),
    stopMinutes: reader.number('stop_duration'),
    stopCandles: reader.count('stop_duration_candles'),
    unlockAt: reader.value('unlock_at', 'a time like "08:30"', (value) =>
      typeof value === 'string' && /^(?:[01]?\d|2[0-3]):[0-5]\d$/u.test(value) ? value : undefined,
    ),
  };
  if ([span.stopMinutes, span.stopCandles, span.unlockAt].filter((value) => value !== undefined).length > 1) {
    reader.refuse('A protection takes one of "stop_duration", "stop_duration_candles" and "unlock_at".');
  }
  if (span.lookbackMinutes !== undefined && span.lookbackCandles !== undefined) {
    reader.refuse('A protection takes one of "lookback_period" and "lookback_period_candles".');
  }
  return given(span);
}

/** Without the fields that are undefined: there a protection's default counts. */
function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
