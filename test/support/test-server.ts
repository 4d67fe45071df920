import type { Client } from '#contract/client.ts';
import { createClient } from '#contract/client.ts';
import { routes } from '#contract/routes.ts';
import type { Role } from '#contract/fields.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { ProgramModules } from '#strategy-process/browser/program-modules.ts';
import { noProcesses } from '#strategy-process/testing/no-processes.ts';
import { Markets } from '#feeds/markets.ts';
import { sandboxKeys } from '#feeds/sandbox-key.ts';
import { deviceMark } from '#server/auth/device.ts';
import { freeDiskBytes } from '#server/monitoring/free-disk.ts';
import { smtpMailer } from '#mail/mailer.ts';
import { currentSender, senderOf } from '#mail/sender.ts';
import { sendDueMails } from '#mail/send-waiting.ts';
import type { ServerDependencies } from '#server/server-dependencies.ts';
import type { ServerOptions } from '#server/server.ts';
import { buildServer } from '#server/server.ts';
import { keyFact, writeFact } from '#storage/installation/facts.ts';
import { addUser } from '#storage/users/users.ts';
import { sealingKey } from '#vault/sealing.ts';
import { authenticatorSecrets } from '#vault/authenticator-secrets.ts';
import { channelSecrets } from '#vault/channel-secrets.ts';
import { strategySecrets } from '#vault/strategy-secrets.ts';
import { hash } from '@node-rs/argon2';
import type { FastifyInstance } from 'fastify';
import { tmpdir } from 'node:os';
import { afterAll } from 'vitest';
import { freshDatabase } from './fresh-database.ts';
import { testPushSender } from './test-browser-subscription.ts';
import type { MailBox } from './mail-box.ts';
import { openMailBox } from './mail-box.ts';

/** The host every test call is made to; its own origin. */
export const origin = 'http://localhost:3000';

/** A failed call: what a browser's client would see. */
export class CallFailed extends Error {
  readonly status: number;
  readonly detail: string;
  readonly retryAfter: string | undefined;

  constructor(status: number, detail: string, retryAfter: string | undefined) {
    super(`${status} ${detail}`);
    this.status = status;
    this.detail = detail;
    this.retryAfter = retryAfter;
  }
}

/** Headers and the like that one call adds. */
export interface CallOptions {
  headers?: Record<string, string>;
}

/** A browser: typed calls with a cookie jar of its own. */
export interface TestBrowser extends Client<CallOptions> {
  cookies: Map<string, string>;
  setCookies: string[]; // every Set-Cookie line that came
  renews: boolean; // its session when that has run out, as the page does
}

/** A server under test on a database of its own, with a clock that tests turn. */
export interface TestServer {
  app: FastifyInstance;
  dependencies: ServerDependencies;
  mailBox: MailBox;
  /** Lets time pass. */
  pass(ms: number): void;
  /** Lets time stand still until the returned function is called. */
  hold(): () => void;
  /** Sends what waits in the outbox, as the web process does every few seconds. */
  deliver(): Promise<void>;
  browser(address?: string): TestBrowser;
  /** A browser signed in as a new, verified account of this role. Its session is renewed: a file of tests may take longer than one lasts. */
  signedIn(role: Role, email?: string): Promise<TestBrowser & { userId: string; email: string }>;
}

/** The password of every account that `signedIn` makes. */
export const password = 'correct horse battery';

/** Its hash, made with little work: a hash says itself how it was made, and thousands of tests sign in that are about something else. */
const quickHash = hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });

/** Builds a server for a test file; everything is closed after it. */
export async function startTestServer(over: Partial<ServerDependencies> = {}, options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const { db } = await freshDatabase();
  const mailBox = await openMailBox();
  const sealing = await sealingKey(Buffer.alloc(32, 9));
  await writeFact(db, keyFact, sealing.id);
  const defaultSender = senderOf(mailBox.url);
  let shift = 0;
  let held: number | null = null;
  const now = (): Date => new Date((held ?? Date.now()) + shift);
  const markets = over.markets ?? new Markets([], () => Promise.reject(new Error('no market in this test')));
  let modules: ProgramModules | null = null;
  const dependencies: ServerDependencies = {
    db,
    markets,
    windows: new CandleWindows(markets),
    processes: noProcesses(),
    strategyFolder: '/srv/flotilla/strategies',
    jobs: () => Promise.reject(new Error('no jobs in this test')),
    askHindsight: () => Promise.reject(new Error('no hindsight in this test')),
    askReplay: () => Promise.reject(new Error('no replay in this test')),
    whatIf: {
      terms: () => Promise.reject(new Error('no what-if in this test')),
      answer: () => Promise.reject(new Error('no what-if in this test')),
    },
    programModules: () => (modules ??= new ProgramModules()),
    askDrill: () => Promise.reject(new Error('no drill in this test')),
    mailer: smtpMailer(mailBox.url, { sender: () => currentSender(db, defaultSender), checkedForMs: 0 }), // a test closes the mail box and wants to see it
    defaultSender,
    pageUrl: origin,
    checkKey: () => Promise.reject(new Error('no exchange in this test')),
    newSandboxKey: sandboxKeys(null),
    sealing,
    strategySecrets: strategySecrets(Buffer.alloc(32, 9)),
    deliver: () => Promise.reject(new Error('no chat in this test')),
    channelSecrets: channelSecrets(Buffer.alloc(32, 9)),
    authenticatorSecrets: authenticatorSecrets(Buffer.alloc(32, 9)),
    pushKey: testPushSender.keys.publicKey,
    sendToChannel: () => Promise.reject(new Error('no channel in this test')),
    isReachable: () => Promise.reject(new Error('no channel in this test')),
    sheets: null,
    pepper: Buffer.alloc(32, 7),
    address: { publicUrl: null, isLoopback: true },
    follow: { everyMs: 10, lines: 1 }, // as it is called like any other
    freeDiskBytes: () => freeDiskBytes([tmpdir()]),
    version: '0.0.0-test',
    liveTrading: 'on',
    mostBotsOfPerson: 200,
    now,
    ...over,
  };
  const app = await buildServer(dependencies, { pageFolder: null, logger: false, trustedProxies: [], ...options });
  const causes = new WeakMap<object, Error>(); // of answers that failed; a test that meets one it does not expect shows its cause
  app.addHook('onError', (request, _reply, error, done) => {
    causes.set(request.raw, error);
    done();
  });
  afterAll(async () => {
    await app.close();
    dependencies.windows.close();
    await dependencies.processes.end();
    await markets.close();
    dependencies.mailer.close();
  });
  let accounts = 0;

  const browser = (address = '127.0.0.1'): TestBrowser => {
    const cookies = new Map<string, string>();
    const setCookies: string[] = [];
    const call = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown, options?: CallOptions) => {
      const reply = await app.inject({
        method,
        url: `/api${path}`,
        remoteAddress: address,
        headers: {
          host: 'localhost:3000',
          origin,
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...options?.headers,
        },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      for (const { name, value } of reply.cookies) {
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      setCookies.push(...[reply.headers['set-cookie'] ?? []].flat());
      return reply;
    };
    const client = createClient(routes, async ({ route, path, body }, options: CallOptions | undefined) => {
      let reply = await call(route.method, path, body, options);
      if (own.renews && reply.statusCode === 401) {
        const renewed = await call(routes.refreshSession.method, routes.refreshSession.path);
        if (renewed.statusCode === 200) reply = await call(route.method, path, body, options);
      }
      const json = reply.json<{ detail?: string }>();
      if (reply.statusCode >= 400) {
        const failed = new CallFailed(reply.statusCode, json.detail ?? '', reply.headers['retry-after']);
        throw Object.assign(failed, { cause: causes.get(reply.raw.req) });
      }
      if (reply.statusCode !== (route.status ?? 200)) throw new Error(`${route.id} answered ${reply.statusCode}`);
      return json;
    });
    const own: TestBrowser = Object.assign(client, { cookies, setCookies, renews: false });
    return own;
  };

  return {
    app,
    dependencies,
    mailBox,
    pass: (ms) => void (shift += ms),
    hold() {
      const at = (held = Date.now());
      return () => {
        shift -= Date.now() - at;
        held = null;
      };
    },
    deliver: () =>
      sendDueMails(db, dependencies.mailer, {
        now,
        onError(error) {
          throw error;
        },
      }),
    browser,
    async signedIn(role, email = `${role}-${++accounts}@example.com`) {
      const user = await addUser(db, { email, passwordHash: await quickHash, role, verified: true });
      if (user === null) throw new Error(`${email} is taken`);
      const own = browser(`10.0.${Math.floor(accounts / 200)}.${(accounts % 200) + 1}`);
      own.renews = true;
      own.cookies.set('device', deviceMark(dependencies.pepper, user)); // it has been used before: nobody is mailed about it
      await own.login({ body: { email, password } });
      return Object.assign(own, { userId: user.id, email });
    },
  };
}

/** What a call failed with. */
export async function failure(call: Promise<unknown>): Promise<CallFailed> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CallFailed) return error;
    throw error;
  }
  throw new Error('The call did not fail');
}
