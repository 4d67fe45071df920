import type { CertificateReply } from '#contract/certificates.ts';
import { isDollar } from '#engine/market/dollars.ts';
import { partTitles, shareTitle } from '#engine/report/certificate/certificate-words.ts';
import type { PartName } from '#engine/report/certificate/split-difference.ts';
import { minus, fromText, toText } from '#engine/market/decimal.ts';
import { Pages } from '../profits/statement/pages.ts';
import type { PageColumn } from '../profits/statement/pages.ts';
import { amountText, minuteText, profitText } from '../profits/statement/statement-text.ts';
import { inkOf, inks } from '../reports/report-pdf/page-style.ts';
import { pdfSheet } from '../reports/report-pdf/pdf-sheet.ts';
import { percentText } from '../reports/report-pdf/report-text.ts';

type Trade = CertificateReply['trades'][number];

/** The figures that a certificate begins with. */
export interface CertificateHead {
  day: string;
  mode: string | null;
  currency: string | null;
  promised: string | null;
  made: string | null;
  replayed_at: string | null;
}

/** A certificate as a PDF file: what was promised and made, the parts of the difference, the checks and the trades, exact to the last decimal. */
export async function certificatePdf(nickname: string, head: CertificateHead, of: CertificateReply, now: Date): Promise<Buffer> {
  const title = `Certificate ${head.day}`;
  const currency = head.currency ?? '';
  const [promised, made] = [head.promised ?? '0', head.made ?? '0'];
  const difference = toText(minus(fromText(made), fromText(promised)));
  const exact = (amount: string): string => `${amount}${isDollar(currency) ? '' : ` ${currency}`}`;
  const { doc, file } = await pdfSheet(title, now);
  const pages = new Pages(doc, title);
  pages.line(title, { size: 18, isBold: true });
  pages.line(`Bot ${nickname}, ${head.mode ?? ''}, UTC day. Made ${minuteText(now)} UTC by Flotilla.`, { size: 9, ink: inks.dim });
  const words = shareTitle(
    { promised, made },
    (amount) => amountText(amount, currency),
    (share) => percentText(share, 1),
  );
  pages.line(words.replaceAll('’', "'"), { size: 12, isBold: true, space: 12 });
  pages.figures([
    { name: 'Backtest', value: profitText(promised, currency), ink: inkOf(Number(promised)) },
    { name: 'Account', value: profitText(made, currency), ink: inkOf(Number(made)) },
    { name: 'Difference', value: profitText(difference, currency), ink: inkOf(Number(difference)) },
    { name: 'Unexplained', value: profitText(of.parts.unexplained ?? '0', currency) },
  ]);
  pages.line('What the Difference Is Made Of', { size: 12, isBold: true, space: 10 });
  const parts = Object.entries(of.parts) as [PartName, string][];
  if (parts.length === 0) pages.line('Nothing: backtest and account are equal to the last decimal.', { size: 9, ink: inks.dim });
  else
    pages.table<[PartName, string]>(
      [
        { title: 'Part', width: 200, text: ([name]) => partTitles[name] },
        {
          title: 'Amount',
          width: 120,
          align: 'right',
          text: ([, amount]) => profitText(amount, currency),
          ink: ([, amount]) => inkOf(Number(amount)),
        },
        { title: 'Exactly', width: 195, align: 'right', text: ([, amount]) => exact(amount) },
      ],
      parts,
    );
  pages.line('Checks', { size: 12, isBold: true, space: 10 });
  for (const line of checkLines(head, of)) pages.line(line, { size: 9 });
  for (const note of of.notes) pages.paragraph(note, { size: 9 });
  pages.line('Trades', { size: 12, isBold: true, space: 10 });
  if (of.trades.length === 0) pages.line('Neither side has made a trade.', { size: 9, ink: inks.dim });
  else
    pages.table(
      tradeColumns(currency),
      of.trades.flatMap((trade) => linesOf(trade, currency)),
    );
  pages.line('What was held when the day began counts from its first price on, what was held at its end up to its last one.', {
    size: 8,
    ink: inks.dim,
    space: 8,
  });
  doc.end();
  return file;
}

function checkLines(
  { replayed_at: replayedAt }: CertificateHead,
  { candles, decisions, trades, trades_same: same, versions, fingerprint }: CertificateReply,
) {
  const seen = candles.seen === 0 ? 'what the bot saw of them is not on record' : `${candles.same} of ${candles.seen} as the bot saw them`;
  return [
    `Candles: ${candles.replayed}, ${seen}`,
    `Decisions: ${decisions.same} of ${decisions.recorded} the same, ${decisions.of_data} other because of the data, ${decisions.failed} without an answer, ${decisions.differing.length} differ`,
    `Trades: ${same} of ${trades.length} made by both`,
    `Settings: ${versions.map(({ from, bot, strategy }) => `version ${bot} of the bot and ${strategy} of the strategy from ${from.slice(11, 16)}`).join('; ')}`,
    `Replayed: ${replayedAt === null ? '' : minuteText(new Date(replayedAt))} UTC, fingerprint ${fingerprint}`,
  ];
}

/** A line of the table of trades: a trade with the first parts of its difference, or the rest of these. */
interface TradeLine {
  trade: Trade | null; // null: it continues the one above
  explained: string;
}

/** Parts that fit into a line. */
const partsInLine = 3;

/** The lines of a trade: what explains it may take several. */
function linesOf(trade: Trade, currency: string): TradeLine[] {
  const named = (Object.entries(trade.parts) as [PartName, string][]).map(
    ([name, amount]) => `${partTitles[name].toLowerCase()} ${profitText(amount, currency)}`,
  );
  if (named.length === 0) return [{ trade, explained: 'equal to the last decimal' }];
  const texts = [
    ...Array.from({ length: Math.ceil(named.length / partsInLine) }, (_, n) =>
      named.slice(n * partsInLine, (n + 1) * partsInLine).join(', '),
    ),
    ...(trade.why === null ? [] : [trade.why]),
  ];
  return texts.map((explained, n) => ({ trade: n === 0 ? trade : null, explained }));
}

function tradeColumns(currency: string): PageColumn<TradeLine>[] {
  const of = (text: (trade: Trade) => string) => (line: TradeLine) => (line.trade === null ? '' : text(line.trade));
  const money = (amount: string | null): string => (amount === null ? 'none' : profitText(amount, currency));
  return [
    { title: 'Entry', width: 42, text: of(({ entry_at: at }) => at.slice(11, 19)) },
    { title: 'Direction', width: 38, text: of(({ direction }) => direction) },
    { title: 'Symbol', width: 74, text: of(({ symbol }) => symbol) },
    { title: 'Backtest', width: 50, align: 'right', text: of(({ promised }) => money(promised)) },
    { title: 'Account', width: 50, align: 'right', text: of(({ made }) => money(made)) },
    {
      title: 'Difference',
      width: 50,
      align: 'right',
      text: of(({ difference }) => money(difference)),
      ink: ({ trade }) => (trade === null ? inks.text : inkOf(Number(trade.difference))),
    },
    { title: 'Explained by', width: 211, text: ({ explained }) => explained },
  ];
}
