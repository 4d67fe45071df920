import type { StatementTrade } from '#storage/profits/month-rows.ts';
import type { ProfitSums } from '#storage/profits/profits.ts';
import { inkOf, inks } from '../../reports/report-pdf/page-style.ts';
import { priceText } from '../../reports/report-pdf/report-text.ts';
import type { Month } from './month.ts';
import type { PageColumn } from './pages.ts';
import { statementFile } from './statement-file.ts';
import { amountText, ledgerTitle, minuteText, profitText, wonText } from './statement-text.ts';

/** How many trades a statement lists one by one; the sums are of all. */
export const mostTrades = 500;

/** How many open positions it lists. */
export const mostPositions = 200;

/** The sums of a group with its name. */
export type NamedSums = ProfitSums & { name: string };

/** What a trader's statement is made of. */
export interface TraderMonth {
  whose: string;
  totals: readonly ProfitSums[];
  bots: readonly NamedSums[];
  pairs: readonly NamedSums[];
  trades: readonly StatementTrade[]; // at most `mostTrades`
  open: { count: number; positions: readonly StatementTrade[] }; // at most `mostPositions`
  now: Date;
}

/** The month of a trader's bots as a PDF file: sums by bot and pair, the trades, and what was open at its end. */
export async function traderPdf(month: Month, of: TraderMonth): Promise<Buffer> {
  const count = of.totals.reduce((sum, { trades }) => sum + trades, 0);
  return statementFile(month, `Trades of ${of.whose}`, of.now, (pages) => {
    if (count === 0) pages.line('No trade was closed in this month.', { size: 10, space: 12 });
    for (const total of of.totals.toSorted(realFirst)) {
      const isOfKind = ({ mode, currency }: ProfitSums) => mode === total.mode && currency === total.currency;
      pages.line(ledgerTitle(total), { size: 12, isBold: true, space: 14 });
      pages.figures([
        { name: 'Realized profit', value: profitText(total.profit, total.currency), ink: inkOf(Number(total.profit)) },
        { name: 'Fees paid', value: amountText(total.fees, total.currency) },
        { name: 'Funding', value: profitText(total.funding, total.currency) },
        { name: 'Trades', value: String(total.trades) },
        { name: 'Won', value: wonText(total) },
      ]);
      pages.table(sumColumns('Bot'), of.bots.filter(isOfKind));
      pages.table(sumColumns('Pair'), of.pairs.filter(isOfKind));
    }
    if (of.trades.length > 0) {
      pages.line('Trades Closed in the Month', { size: 12, isBold: true, space: 14 });
      pages.table(tradeColumns, of.trades);
      const left = count - of.trades.length;
      if (left > 0)
        pages.line(`and ${left} more, which count in the sums above: the first ${mostTrades} are listed`, { size: 8, ink: inks.dim });
    }
    pages.line(of.now < month.end ? 'Open Now' : 'Open at the End of the Month', { size: 12, isBold: true, space: 14 });
    if (of.open.count === 0) pages.line('No position was open.', { size: 9, ink: inks.dim });
    else pages.table(openColumns, of.open.positions);
    const left = of.open.count - of.open.positions.length;
    if (left > 0) pages.line(`and ${left} more: the oldest ${mostPositions} are listed`, { size: 8, ink: inks.dim });
  });
}

function realFirst(a: ProfitSums, b: ProfitSums): number {
  const order = ['live', 'testnet', 'paper'];
  return order.indexOf(a.mode) - order.indexOf(b.mode) || b.trades - a.trades;
}

function sumColumns(title: string): PageColumn<NamedSums>[] {
  return [
    { title, width: 185.28, text: ({ name }) => name },
    { title: 'Trades', width: 50, align: 'right', text: ({ trades }) => String(trades) },
    { title: 'Won', width: 60, align: 'right', text: wonText },
    { title: 'Fees', width: 70, align: 'right', text: ({ fees, currency }) => amountText(fees, currency) },
    { title: 'Funding', width: 70, align: 'right', text: ({ funding, currency }) => profitText(funding, currency) },
    {
      title: 'Profit',
      width: 80,
      align: 'right',
      text: ({ profit, currency }) => profitText(profit, currency),
      ink: ({ profit }) => inkOf(Number(profit)),
    },
  ];
}

const positionColumns: readonly PageColumn<StatementTrade>[] = [
  { title: 'Mode', width: 42, text: ({ mode }) => mode.toUpperCase(), ink: ({ mode }) => inks[mode] },
  { title: 'Bot', width: 90, text: ({ botName }) => botName },
  { title: 'Pair', width: 80, text: ({ symbol }) => symbol },
  { title: 'Direction', width: 40, text: ({ direction }) => direction },
];

const tradeColumns: readonly PageColumn<StatementTrade>[] = [
  { title: 'Closed (UTC)', width: 76, text: ({ closedAt }) => (closedAt === null ? '' : minuteText(closedAt)) },
  ...positionColumns,
  { title: 'Entry', width: 48, align: 'right', text: ({ entryPrice }) => priceText(entryPrice) },
  { title: 'Exit', width: 48, align: 'right', text: ({ exitPrice }) => priceText(exitPrice) },
  {
    title: 'Profit',
    width: 91.28,
    align: 'right',
    text: ({ profit, currency }) => profitText(profit ?? '0', currency),
    ink: ({ profit }) => inkOf(Number(profit)),
  },
];

const openColumns: readonly PageColumn<StatementTrade>[] = [
  { title: 'Opened (UTC)', width: 76, text: ({ openedAt }) => minuteText(openedAt) },
  ...positionColumns,
  { title: 'Amount', width: 70, align: 'right', text: ({ amount }) => String(Number(amount)) },
  { title: 'Entry', width: 48, align: 'right', text: ({ entryPrice }) => priceText(entryPrice) },
  { title: 'Stake', width: 69.28, align: 'right', text: ({ stake, currency }) => amountText(stake, currency) },
];
