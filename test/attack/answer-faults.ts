import type { Caller, Callers } from './callers.ts';
import type { FuzzRequest } from './fuzz-request.ts';

/** An answer as it came. */
export interface Answer {
  statusCode: number;
  headers: Record<string, unknown>;
  body: string;
}

/** What must never leave the server in an answer. */
const inside =
  /node_modules|\/src\/|\.ts:\d|\bat \S+ \(|\bat (file|node):|\bselect\b.+\bfrom\b|violates|duplicate key|syntax error|pg_|postgres|ECONN|stack/iu;

/** What is wrong with an answer, a line for each fault; nothing when it is as the documentation says. */
export function answerFaults(request: FuzzRequest, answer: Answer, callers: Callers): string[] {
  const caller = callers.of(request.caller);
  return [...shapeFaults(request, answer), ...accessFaults(request, answer, caller, callers)];
}

function shapeFaults({ operation, method }: FuzzRequest, { statusCode, headers, body }: Answer): string[] {
  const faults: string[] = [];
  if (headers['x-content-type-options'] !== 'nosniff' || headers['cache-control'] !== 'no-store')
    faults.push('its guarding headers are missing');
  if (method === 'HEAD')
    return statusCode >= 500 && !(statusCode in operation.route.errors) ? [...faults, `HEAD answers ${statusCode}`] : faults;
  if (statusCode < 300 && operation.route.replyType !== undefined && headers['content-type'] === operation.route.replyType) return faults;
  if (!String(headers['content-type']).startsWith('application/json')) return [...faults, `it is ${String(headers['content-type'])}`];
  const parsed: unknown = JSON.parse(body);
  if (statusCode < 300) {
    // Another method or a mangled address may have reached another operation; then there is no schema to compare with.
    if (method !== operation.route.method) return faults;
    const fits = operation.replies.get(statusCode);
    if (fits === undefined) faults.push(`the status ${statusCode} is not documented`);
    else if (fits !== null && !fits(parsed)) faults.push(`the answer does not fit its schema: ${JSON.stringify(fits.errors?.[0])}`);
    return faults;
  }
  const detail = (parsed as { detail?: unknown } | null)?.detail;
  if (typeof detail !== 'string' || Object.keys(parsed as object).join() !== 'detail')
    return [...faults, `an error is not { detail }: ${body.slice(0, 200)}`];
  if (inside.test(detail)) faults.push(`an error shows what is inside: ${detail}`);
  if (statusCode === 500 || statusCode === 501 || statusCode > 503) faults.push(`it answers ${statusCode} ${detail}`);
  const listed = (operation.route.errors as Record<string, readonly string[] | undefined>)[statusCode];
  if (listed === undefined) faults.push(`the status ${statusCode} is not documented: ${detail}`);
  else if (!listed.some((text) => isText(text, detail))) faults.push(`the contract does not list ${statusCode} ${detail}`);
  return faults;
}

/** Whether an error is a text of the contract, in which braces stand for anything. */
function isText(text: string, detail: string): boolean {
  const [head, tail] = text.split(/\{\w+\}/u);
  return tail === undefined ? text === detail : detail.startsWith(head ?? '') && detail.endsWith(tail);
}

function accessFaults({ operation, method, url }: FuzzRequest, { statusCode, body }: Answer, caller: Caller, { other }: Callers): string[] {
  if (method !== operation.route.method && method !== 'HEAD') return [];
  const { who, bot } = operation.route.access;
  const faults: string[] = [];
  if (statusCode >= 300) return faults;
  if (who !== 'anyone' && caller.role === null) faults.push(`it answers ${statusCode} without a session`);
  if (who !== 'anyone' && who !== 'all' && caller.role !== null && !who.includes(caller.role))
    faults.push(`it answers ${statusCode} to the role ${caller.role}`);
  const foreign = other.owns;
  const names = (id: string | undefined): boolean => id !== undefined && url.includes(id);
  const isTraders = caller.role === 'trader';
  if (bot === 'own' && caller.role !== 'admin' && names(foreign?.bot)) faults.push('it is done for a bot of somebody else');
  if (bot === 'visible' && isTraders && names(foreign?.bot)) faults.push('it shows a bot of another trader');
  if (bot === 'own' && caller.role !== 'admin' && names(foreign?.trade)) faults.push('it is done for a trade of somebody else');
  if (bot === 'visible' && isTraders && names(foreign?.trade)) faults.push('it shows a trade of another trader');
  if (names(foreign?.apiKey)) faults.push('it is done for a key of somebody else');
  if (names(foreign?.session)) faults.push('it is done for a session of somebody else');
  if (caller.role !== 'admin' && names(foreign?.backtest) && body.includes(foreign?.backtest ?? '-'))
    faults.push('it is done for a backtest of somebody else');
  return faults;
}
