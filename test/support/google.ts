import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { jwtVerify } from 'jose';
import { afterAll } from 'vitest';
import type { ServiceAccount } from '#outbound/google/service-account.ts';
import { parseServiceAccount } from '#outbound/google/service-account.ts';
import type { Reach } from '#outbound/public-request.ts';
import { certificates } from './mail-box.ts';
import { patienceMs } from './patience.ts';

/** What the server does wrong with the next calls of the interface, in their order; 'lost' writes the row and hangs up. */
export type GoogleFault =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | 'lost'
  | 'hang-up'
  | 'silent'
  | 'stalls'
  | 'endless'
  | 'nonsense';

/** A server on loopback that speaks as much of Google's interface as appending rows needs, over TLS. */
export interface Google {
  reach: Reach;
  account: ServiceAccount;
  accountFile: string; // the text of the file that Google gives for the account
  /** The rows of a spreadsheet that is shared with the account. */
  sheet(id: string): unknown[][];
  calls: { method: string; path: string; query: Record<string, string> }[]; // of the interface, not for tokens
  tokensGiven: string[];
  faults: GoogleFault[];
  tokenFaults: GoogleFault[];
  /** From now on the tokens given so far are refused. */
  endTokens(): void;
}

/** An id of a spreadsheet as Google makes them. */
export const aSheetId = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms';

/** The authorities that are trusted while the tests of a file run: those of the system, and the one of the server. */
const systems = getCACertificates('default');

/** Opens such a server for a test file, which trusts its certificate meanwhile; spreadsheets with these ids are shared with the account. */
export async function openGoogle(shared: readonly string[] = [aSheetId]): Promise<Google> {
  const pem = readFileSync(join(certificates, 'google.pem'), 'utf8');
  setDefaultCACertificates([...systems, pem]);
  afterAll(() => setDefaultCACertificates(systems));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const accountFile = JSON.stringify({
    type: 'service_account',
    project_id: 'flotilla-1',
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'rows@flotilla-1.iam.gserviceaccount.com',
    token_uri: 'https://oauth2.googleapis.com/token',
  });
  const account = parseServiceAccount(accountFile);
  const publicKey = createPublicKey(privateKey);

  const sheets = new Map<string, unknown[][]>(shared.map((id) => [id, []]));
  const calls: Google['calls'] = [];
  const tokensGiven: string[] = [];
  const faults: GoogleFault[] = [];
  const tokenFaults: GoogleFault[] = [];
  let valid = new Set<string>();

  const giveToken = async (body: string): Promise<{ status: number; body: unknown }> => {
    const form = new URLSearchParams(body);
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return { status: 400, body: { error: 'unsupported_grant_type' } };
    try {
      const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
        algorithms: ['RS256'],
        issuer: account.email,
        audience: 'https://oauth2.googleapis.com/token',
        maxTokenAge: 3_600,
        requiredClaims: ['exp', 'iat', 'scope'],
        clockTolerance: 10,
        currentDate: new Date(jwtTime(form.get('assertion') ?? '')),
      });
      const isRight = payload['scope'] === 'https://www.googleapis.com/auth/spreadsheets' && protectedHeader.kid === 'key-1';
      if (!isRight || (payload.exp ?? 0) - (payload.iat ?? 0) > 3_600) return { status: 400, body: { error: 'invalid_scope' } };
    } catch (error) {
      return { status: 400, body: { error: 'invalid_grant', error_description: String(error) } };
    }
    const token = `ya29.${tokensGiven.length + 1}`;
    tokensGiven.push(token);
    valid.add(token);
    return { status: 200, body: { access_token: token, expires_in: 3_599, token_type: 'Bearer' } };
  };

  const callInterface = (request: IncomingMessage, body: string, fault: GoogleFault | undefined): { status: number; body: unknown } => {
    const url = new URL(request.url ?? '', 'https://sheets.googleapis.com');
    calls.push({ method: request.method ?? '', path: decodeURIComponent(url.pathname), query: Object.fromEntries(url.searchParams) });
    if (!valid.has((request.headers.authorization ?? '').replace(/^Bearer /u, ''))) return failure(401, 'UNAUTHENTICATED');
    if (typeof fault === 'object') return { status: fault.status, body: fault.body ?? {} };
    const [, id = '', range = ''] = /^\/v4\/spreadsheets\/([^/]+)\/values\/(.+)$/u.exec(decodeURIComponent(url.pathname)) ?? [];
    const rows = sheets.get(id);
    if (rows === undefined) return id.startsWith('private') ? failure(403, 'PERMISSION_DENIED') : failure(404, 'NOT_FOUND');
    if (request.method === 'POST' && range === 'A1:append') {
      const { values } = JSON.parse(body) as { values: unknown[][] };
      if (url.searchParams.get('valueInputOption') !== 'RAW') throw new Error('a text could become a formula');
      rows.push(...values);
      return { status: 200, body: { spreadsheetId: id } };
    }
    const column = /^([A-Z]):\1$/u.exec(range)?.[1];
    if (request.method !== 'GET' || column === undefined) return failure(400, 'INVALID_ARGUMENT');
    const cells = rows.map((row) => row[column.charCodeAt(0) - 65] ?? '');
    return { status: 200, body: cells.length === 0 ? {} : { values: [cells] } };
  };

  const server = createServer({ key: readFileSync(join(certificates, 'google.key')), cert: pem }, (request, response) => {
    void (async () => {
      const body = await text(request);
      const isToken = request.headers.host === 'oauth2.googleapis.com' && request.method === 'POST' && request.url === '/token';
      const fault = (isToken ? tokenFaults : faults).shift();
      if (fault === 'hang-up') return void request.socket.destroy();
      const answer = isToken
        ? typeof fault === 'object'
          ? { status: fault.status, body: fault.body ?? {} }
          : await giveToken(body)
        : callInterface(request, body, fault);
      if (fault === 'lost') return void request.socket.destroy();
      if (fault === 'silent') return;
      if (fault === 'stalls') return void response.writeHead(200, { 'Content-Length': 100 }).write('{');
      if (fault === 'endless') return endless(response);
      response.writeHead(answer.status, { 'Content-Type': 'application/json', ...(typeof fault === 'object' ? fault.headers : {}) });
      response.end(fault === 'nonsense' ? '<html>' : JSON.stringify(answer.body));
    })();
  }).on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    account,
    accountFile,
    reach: { lookup: toThisMachine, port, deadlineMs: patienceMs },
    sheet: (id) => sheets.get(id) ?? [],
    calls,
    tokensGiven,
    faults,
    tokenFaults,
    endTokens: () => void (valid = new Set()),
  };
}

/** Leads every name to this machine. */
const toThisMachine: LookupFunction = (_, options, done) => {
  if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

/** When a JWT says that it was issued: tests turn the clock. */
function jwtTime(jwt: string): number {
  const { iat } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as { iat: number };
  return iat * 1_000;
}

function failure(status: number, name: string): { status: number; body: unknown } {
  return { status, body: { error: { code: status, message: 'words of the other side', status: name } } };
}

/** A body that never ends, sent as fast as it is read. */
function endless(response: ServerResponse): void {
  response.writeHead(200);
  const chunk = Buffer.alloc(65_536, ' ');
  const more = (): void => {
    while (!response.destroyed) if (!response.write(chunk)) return void response.once('drain', more);
  };
  response.on('error', () => {});
  more();
}
