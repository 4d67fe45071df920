import type { Answer, Reach, RequestFault } from '../public-request.ts';
import { publicRequest } from '../public-request.ts';
import type { TokenResult } from './access-tokens.ts';
import { accessTokens } from './access-tokens.ts';
import type { ServiceAccount } from './service-account.ts';

/** What stands in one cell; a text stays a text, whatever it begins with. */
export type Cell = string | number;

/** Why nothing was written or read. */
export type SheetFault =
  | { reason: Exclude<TokenResult, { ok: true } | { reason: 'token-refused' }>['reason'] | RequestFault | 'not-a-key' }
  | { reason: 'refused' | 'token-refused'; status: number; isApiOff: boolean; retryAfterMs: number | null };

/** What became of a row. */
export type Appended = { ok: true } | { ok: false; fault: SheetFault };

/** What stands in a column, from its first row on. */
export type Column = { ok: true; texts: ReadonlySet<string> } | { ok: false; fault: SheetFault };

/** Google's spreadsheets, as one service account reaches them. */
export interface Spreadsheets {
  readonly account: string; // the address that a spreadsheet is shared with
  /** Appends a row after the last one of the first sheet. When the answer is lost, it may be there all the same. */
  append(id: string, cells: readonly Cell[]): Promise<Appended>;
  /** The texts of one column of the first sheet, e.g. 'H'. */
  column(id: string, letter: string): Promise<Column>;
}

type Asked = { ok: true; answer: Answer; token: string } | { ok: false; fault: SheetFault };
type Called = { ok: true; body: string } | { ok: false; fault: SheetFault };

const host = 'https://sheets.googleapis.com';
const spreadsheetId = /^[\w-]{20,120}$/u; // nothing that could lead to another path
const longestAnswer = 65_536;
const longestColumn = 4 * 1024 * 1024; // some 180,000 rows
const longestWaitMs = 3_600_000;

/**
 * Google's spreadsheets over its HTTP interface.
 *
 * Source: https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values
 */
export function googleSpreadsheets(account: ServiceAccount, now: () => Date, reach?: Reach): Spreadsheets {
  const tokens = accessTokens(account, now, reach);

  /** One request with a token; with a row it is written, without one it is read. */
  const ask = async (url: URL, row: readonly Cell[] | null): Promise<Asked> => {
    const taken = await tokens.take();
    if (!taken.ok) return { ok: false, fault: tokenFault(taken) };
    const authorization = { Authorization: `Bearer ${taken.token}` };
    const answer =
      row === null
        ? await publicRequest({ method: 'GET', url, headers: authorization }, longestColumn, reach)
        : await publicRequest(
            {
              method: 'POST',
              url,
              headers: { ...authorization, 'Content-Type': 'application/json; charset=utf-8' },
              body: JSON.stringify({ majorDimension: 'ROWS', values: [row] }),
            },
            longestAnswer,
            reach,
          );
    return answer.ok ? { ok: true, answer, token: taken.token } : { ok: false, fault: { reason: answer.reason } };
  };

  const call = async (id: string, rest: string, row: readonly Cell[] | null): Promise<Called> => {
    if (!spreadsheetId.test(id)) return { ok: false, fault: { reason: 'not-a-key' } };
    const url = new URL(`${host}/v4/spreadsheets/${id}/values/${rest}`);
    let asked = await ask(url, row);
    if (asked.ok && asked.answer.status === 401) {
      tokens.forget(asked.token); // it has ended early, and nothing was written; a second refusal counts
      asked = await ask(url, row);
    }
    if (!asked.ok) return asked;
    const { answer } = asked;
    return answer.status === 200 ? { ok: true, body: answer.body } : { ok: false, fault: refusal(answer, now()) };
  };

  return {
    account: account.email,
    async append(id, cells) {
      // RAW: Google takes a cell as it is, so that a name such as "=1+1" is not a formula.
      const written = await call(id, 'A1:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS&fields=spreadsheetId', cells);
      return written.ok ? { ok: true } : written;
    },
    async column(id, letter) {
      const read = await call(id, `${letter}:${letter}?majorDimension=COLUMNS&fields=values&prettyPrint=false`, null);
      if (!read.ok) return read;
      const texts = textsIn(read.body);
      return texts === null ? { ok: false, fault: { reason: 'not-understood' } } : { ok: true, texts };
    },
  };
}

function tokenFault(failed: Exclude<TokenResult, { ok: true }>): SheetFault {
  if (failed.reason !== 'token-refused') return { reason: failed.reason };
  return { reason: 'token-refused', status: failed.status, isApiOff: false, retryAfterMs: null };
}

function refusal({ status, body, retryAfter }: Answer, now: Date): SheetFault {
  return { reason: 'refused', status, isApiOff: status === 403 && /"SERVICE_DISABLED"/u.test(body), retryAfterMs: waitOf(retryAfter, now) };
}

/** What `Retry-After` asks for: seconds or a date, an hour at most. */
function waitOf(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/u.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), longestWaitMs);
}

/** The texts of the only column of an answer; an empty one has no `values`. */
function textsIn(body: string): ReadonlySet<string> | null {
  try {
    const { values = [[]] } = JSON.parse(body) as { values?: unknown };
    if (!Array.isArray(values) || !Array.isArray(values[0])) return null;
    return new Set(values[0].filter((value): value is string => typeof value === 'string'));
  } catch {
    return null;
  }
}
