import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { BacktestReport, ReportRow } from './backtest-report.ts';
import { minuteText } from '#engine/market/minute-text.ts';

/** A report for people, line by line. */
export function reportLines(report: BacktestReport): string[] {
  const { perTrade: trade, dailyEquity: equity, stakeCurrency: coin } = report;
  const detail = report.detailTimeframe === null ? '' : ` with ${report.detailTimeframe} inside`;
  const lines = [
    `${report.strategy} on ${report.timeframe} candles${detail}, ${report.marketType}, ${report.pairs.join(' ')}`,
    `${minuteText(report.startTime)} to ${minuteText(report.endTime)} UTC, ${trade.days} days`,
    `Settings: ${settingsText(report.settings, coin)}`,
    ...modeLines(report),
    '',
    ...findingLines(report),
    `Balance   ${money(report.startingBalance)} -> ${money(report.finalBalance)} ${coin} (${percent(report.finalBalance / report.startingBalance - 1)}); market ${percent(report.marketChange)}`,
    `Equity    ${sparkline(report.equity.map(({ balance }) => balance))}`,
    '',
    ...table(
      ['', 'per trade, freqtrade', 'daily equity'],
      [
        ['Sharpe', figure(trade.sharpe), figure(equity.sharpe)],
        ['Sortino', figure(trade.sortino), figure(equity.sortino)],
        ['Calmar', figure(trade.calmar), figure(equity.calmar)],
        [`Max drawdown (${coin})`, money(trade.maxDrawdownAbs), money(equity.maxDrawdownAbs)],
        ['Max drawdown', percent(-trade.relativeDrawdown), percent(-equity.maxDrawdownRatio)],
        ['  at the largest fall in money', percent(-trade.accountDrawdown), ''],
        ['CAGR', percent(trade.cagr), ''],
        ['SQN', figure(trade.sqn), ''],
        ['Profit factor', figure(trade.profitFactor), ''],
        [`Expectancy (${coin})`, money(trade.expectancy), ''],
        ['Expectancy ratio', figure(trade.expectancyRatio), ''],
        ['p-value of the mean', figure(trade.pValue), ''],
      ],
    ),
    "The per-trade Sharpe ratio grows with the number of trades; it cannot be compared with a fund's.",
    '',
    ...factLines(report),
    '',
    ...breakdownTable('Pair', report.byPair, coin),
    '',
    ...breakdownTable('Exit reason', report.byExitReason, coin),
  ];
  if (report.byEnterTag.some(({ key }) => key !== '')) lines.push('', ...breakdownTable('Entry tag', report.byEnterTag, coin));
  if (report.notes.length > 0) lines.push('', ...report.notes.map((note) => `Note: ${note}`));
  return lines;
}

function modeLines(report: BacktestReport): string[] {
  if (report.mode === 'parity') {
    const isMargin = report.marketType === 'margin';
    return [
      isMargin
        ? 'Mode: parity by formulas only; freqtrade has no margin backtest to compare with'
        : 'Mode: parity, the same trades as freqtrade',
    ];
  }
  const parity =
    report.parityBalance === null ? '' : `; with all quirks on the final balance is ${money(report.parityBalance)} ${report.stakeCurrency}`;
  return [
    `Mode: realistic, without ${report.quirksOff.map(({ quirk }) => quirk).join(', ')}${parity}`,
    ...report.quirksOff.map((effect) => `  ${effect.quirk.padEnd(4)} ${effectText(effect, report.stakeCurrency)} (${effect.sentence})`),
  ];
}

/** Why there are no trades, or no more of them: first of all, because all figures below follow from it. */
function findingLines({ entries: { noTrades, stopped } }: BacktestReport): string[] {
  const found = [noTrades, stopped].filter((text) => text !== null);
  return found.length === 0 ? [] : [...found, ''];
}

function effectText({ changesTrades, changesCounts, balanceChange }: BacktestReport['quirksOff'][number], coin: string): string {
  if (balanceChange !== 0) return `switching it off alone changes the result by ${signed(balanceChange)} ${coin}`;
  if (changesTrades) return 'switching it off alone changes trades, but not the result';
  return changesCounts ? 'switching it off alone changes what is counted, but no trade' : 'changes nothing here';
}

function factLines({ perTrade: trade, durations, counters, entries, stakeCurrency: coin }: BacktestReport): string[] {
  const rows: [string, string][] = [
    [
      'Trades',
      `${trade.tradeCount} (${trade.tradesPerDay} a day); ${trade.wins} wins, ${trade.draws} draws, ${trade.losses} losses; win rate ${percent(trade.winRate).replace('+', '')}`,
    ],
    [
      'Profit',
      `${signed(trade.totalProfit)} ${coin} (${percent(trade.totalProfitRatio)}); per trade ${percent(trade.meanProfitRatio)} on average, median ${percent(trade.medianProfitRatio)}`,
    ],
    ['Streaks', `${trade.maxConsecutiveWins} wins, ${trade.maxConsecutiveLosses} losses or draws in a row`],
    [
      'Days',
      `${trade.winningDays} up, ${trade.drawDays} flat, ${trade.losingDays} down; best ${signed(trade.bestDay)}, worst ${signed(trade.worstDay)} ${coin}`,
    ],
    [
      'Duration',
      `${minutes(durations.all.average)} on average; winners ${minutes(durations.winners.average)}, losers ${minutes(durations.losers.average)}; longest ${minutes(durations.all.longest)}`,
    ],
    [
      'Balance',
      `lowest ${money(trade.lowBalance)}, highest ${money(trade.highBalance)} ${coin}; stake ${money(trade.averageStake)} on average, ${money(trade.totalVolume)} traded`,
    ],
    [
      'Signals',
      `${entries.signals}; ${entries.entered} entered${entries.refused.map(({ name, count }) => `; ${count} refused: ${name.toLowerCase()}`).join('')}`,
    ],
    [
      'Not filled',
      `${counters.rejectedSignals} signals without a free slot; ${counters.timedOutEntryOrders} entries and ${counters.timedOutExitOrders} exits timed out`,
    ],
  ];
  if (trade.maxDrawdownAbs > 0 && trade.drawdownStartTime !== null && trade.drawdownEndTime !== null) {
    rows.push([
      'Drawdown',
      `from ${minuteText(trade.drawdownStartTime)} to ${minuteText(trade.drawdownEndTime)} UTC, profit ${signed(trade.drawdownHigh)} to ${signed(trade.drawdownLow)} ${coin}`,
    ]);
  }
  return rows.map(([name, text]) => `${name.padEnd(11)} ${text}`);
}

function breakdownTable(title: string, rows: readonly ReportRow[], coin: string): string[] {
  return table(
    [title, 'trades', 'wins', 'draws', 'losses', 'win %', `profit ${coin}`, 'profit %', 'mean %', 'duration', 'drawdown'],
    rows.map((row) => [
      row.key === '' ? '(none)' : row.key,
      ...[row.trades, row.wins, row.draws, row.losses].map(String),
      (row.winRate * 100).toFixed(1),
      signed(row.totalProfit),
      fixed(row.totalProfitRatio * 100, 2),
      fixed(row.meanProfitRatio * 100, 3),
      minutes(row.averageDurationMs / 60_000),
      money(row.maxDrawdownAbs),
    ]),
  );
}

/** What says how the run trades, in one line. */
function settingsText(settings: TradingSettings, coin: string): string {
  const { minimalRoi: roi, trailingStop, trailingStopPositive: positive, trailingStopPositiveOffset: offset } = settings;
  const roiText =
    roi.minutes.length === 0
      ? 'none'
      : roi.minutes.map((minute, i) => `${minute} min ${roi.ratios[i] === -1 ? 'exit' : shortPercent(roi.ratios[i]!)}`).join(', ');
  const trailing = !trailingStop
    ? 'off'
    : positive === null
      ? 'on'
      : `${shortPercent(positive)} from ${shortPercent(offset)}${settings.trailingOnlyOffsetIsReached ? ' only' : ''}`;
  return [
    `stake ${settings.stakeAmount}${settings.stakeAmount === 'unlimited' ? '' : ` ${coin}`}`,
    `start ${settings.startingBalance} ${coin}`,
    settings.availableCapital === null
      ? `of which ${shortPercent(settings.tradableBalanceRatio)} tradable`
      : `capital ${settings.availableCapital} ${coin}`,
    settings.maxOpenTrades > 0
      ? `max ${settings.maxOpenTrades} open trade${settings.maxOpenTrades === 1 ? '' : 's'}`
      : 'no limit of open trades',
    settings.fee === null ? "the market's fee" : `fee ${shortPercent(settings.fee)}`,
    `stop ${shortPercent(settings.stoploss)}`,
    `trailing ${trailing}`,
    `ROI ${roiText}`,
    `exit signals ${settings.useExitSignal ? (settings.exitProfitOnly ? 'in profit only' : 'on') : 'off'}`,
    ...(settings.marketType === 'spot'
      ? []
      : [`leverage ${settings.leverage}`, settings.marginMode, settings.canShort ? 'long and short' : 'long only']),
    ...(settings.marketType === 'margin' ? [interestText(settings)] : []),
    ...(settings.protections.length === 0 ? [] : [`protections ${settings.protections.map(({ kind }) => kind).join(', ')}`]),
  ].join('; ');
}

function interestText({ interestRate, interestScheme }: TradingSettings): string {
  return `interest ${shortPercent(interestRate)} ${interestScheme === 'kraken' ? 'per four hours' : 'a day'} (${interestScheme})`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)];
}

const blocks = '▁▂▃▄▅▆▇█';

/** The course of values in one line of at most 60 signs. */
export function sparkline(values: readonly number[]): string {
  if (values.length === 0) return '';
  const width = Math.min(60, values.length);
  const shown = Array.from({ length: width }, (_, i) => values[Math.round((i * (values.length - 1)) / Math.max(1, width - 1))]!);
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  return shown.map((value) => blocks[high === low ? 3 : Math.round(((value - low) / (high - low)) * 7)]).join('');
}

/** Two decimals, and for small amounts as many as show four digits, eight at most. */
export function money(value: number): string {
  if (!Number.isFinite(value)) return 'n/a';
  const size = Math.abs(value);
  const decimals = size >= 1 || size < 5e-9 ? 2 : Math.min(8, 3 - Math.floor(Math.log10(size)));
  const text = value.toFixed(decimals);
  const [whole = '', fraction = ''] = text.split('.');
  return `${whole}.${fraction.replace(/0+$/u, '').padEnd(2, '0')}`.replace(/^-(0\.0+)$/u, '$1');
}

/** Without the sign of a zero. */
function fixed(value: number, decimals: number): string {
  return value.toFixed(decimals).replace(/^-(0\.0+)$/u, '$1');
}

function signed(value: number): string {
  const text = money(value);
  return value > 0 && !/^0\.0+$/u.test(text) ? `+${text}` : text;
}

function percent(ratio: number): string {
  if (!Number.isFinite(ratio)) return 'n/a';
  const text = fixed(ratio * 100, 2);
  return `${ratio > 0 && text !== '0.00' ? '+' : ''}${text} %`;
}

/** A setting as it was given: 0.4 %, not 0.40 %. */
function shortPercent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(10))} %`;
}

function figure(value: number | null): string {
  return value === null || !Number.isFinite(value) ? 'n/a' : value.toFixed(3);
}

/** A length of time in minutes as days, hours and minutes. */
function minutes(count: number | null): string {
  if (count === null) return 'n/a';
  const [days, hours, rest] = [Math.floor(count / 1440), Math.floor((count % 1440) / 60), Math.round(count % 60)];
  const clock = `${hours}:${String(rest).padStart(2, '0')}`;
  return days > 0 ? `${days} d ${clock}` : clock;
}
