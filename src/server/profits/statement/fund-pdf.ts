import { inkOf, inks } from '../../reports/report-pdf/page-style.ts';
import { percentText } from '../../reports/report-pdf/report-text.ts';
import type { FundLedger } from './fund-month.ts';
import type { Month } from './month.ts';
import { statementFile } from './statement-file.ts';
import { amountText, ledgerTitle, profitText, wonText } from './statement-text.ts';

/** The month of the fund as a PDF file, without the names of people, bots or accounts. */
export async function fundPdf(month: Month, ledgers: readonly FundLedger[], now: Date): Promise<Buffer> {
  return statementFile(month, 'All bots of the fund', now, (pages) => {
    if (ledgers.length === 0) pages.line('No bot had traded by the end of this month.', { size: 10, space: 12 });
    for (const ledger of ledgers) {
      const { currency, start, added, profit, fees, funding, end, returned, trades } = ledger;
      pages.line(ledgerTitle(ledger), { size: 12, isBold: true, space: 14 });
      pages.figures([
        { name: 'Start', value: amountText(start, currency) },
        { name: 'Change', value: profitText(profit, currency), ink: inkOf(Number(profit)) },
        { name: 'Return', value: returned === null ? 'N/A' : percentText(returned, 2) },
        { name: 'End', value: amountText(end, currency) },
      ]);
      pages.figures([
        { name: 'Added', value: amountText(added, currency) },
        { name: 'Fees paid', value: amountText(fees, currency) },
        { name: 'Funding', value: profitText(funding, currency) },
        { name: 'Trades, won', value: `${trades}, ${wonText(ledger)}` },
      ]);
    }
    const notes = [
      'Start: what the bots that had traded in the mode were given, and what their closed trades had brought before the month.',
      'Change: the profit of the trades closed in the month, after fees and funding.',
      'Return: change by start and what bots were given in the month; what others were left less is not taken from it.',
      'End: start, added and change together. Trades that were open at the end are not in it.',
    ];
    for (const [place, note] of notes.entries()) pages.line(note, { size: 8, ink: inks.dim, space: place === 0 ? 16 : 0 });
  });
}
