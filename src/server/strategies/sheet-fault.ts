import type { SheetFault } from '#outbound/google/spreadsheets.ts';

const noSuchKey = 'This is not the key of a spreadsheet. Copy it from the address of the spreadsheet, between /d/ and /edit.';

/** The id in what a person has entered: the key itself, or the whole address of a spreadsheet. Whether it can be one is not checked. */
export function spreadsheetIdIn(entered: string): string {
  const text = entered.trim();
  return /^https:\/\/docs\.google\.com\/spreadsheets\/(?:u\/\d{1,3}\/)?d\/([\w-]{1,200})(?:[/?#]|$)/u.exec(text)?.[1] ?? text;
}

const faults: Readonly<Record<string, string>> = {
  'not-a-key': noSuchKey,
  'account-refused': 'Google refuses the service account of this server. Its key may have been deleted: make a new key file.',
  'not-understood': 'The answer of Google was not understood.',
  'answer-too-long': 'The spreadsheet has too many rows to be searched. Begin a new one.',
  'host-not-public': 'The name of Google does not resolve to a public address on this server.',
  unreachable: 'Google could not be reached.',
  'untrusted-certificate': 'The certificate of Google is not trusted here.',
  'too-slow': 'Google did not answer in time.',
};

/** Why a row was not written, as a person reads it, and how long Google asks to be left alone. `account`: whom a sheet is shared with. */
export function sheetFault(fault: SheetFault, account: string): { text: string; waitMs: number } {
  if (!('status' in fault)) return { text: faults[fault.reason] ?? 'The row was not written.', waitMs: 0 };
  return { text: refusalText(fault, account), waitMs: fault.retryAfterMs ?? 0 };
}

function refusalText({ reason, status, isApiOff }: Extract<SheetFault, { status: number }>, account: string): string {
  if (reason === 'refused' && isApiOff) return 'The Google Sheets API is not switched on in the project of the service account.';
  if (reason === 'refused' && status === 403) return `Share the spreadsheet with ${account} as editor: this server may not write to it.`;
  if (reason === 'refused' && status === 404)
    return `There is no spreadsheet with this key. Check the key, and share the spreadsheet with ${account} as editor.`;
  if (reason === 'refused' && status === 400)
    return 'Google does not take rows for this document. It must be a spreadsheet of Google, not an uploaded file.';
  if (status === 429) return 'Google accepts no more rows for now (HTTP 429).';
  if (status >= 500) return `Google has failed (HTTP ${status}).`;
  return `Google refused the row (HTTP ${status}).`;
}
