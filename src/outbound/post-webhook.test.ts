import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { LookupFunction, Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { certificates } from '../../test/support/mail-box.ts';
import { postWebhook } from './post-webhook.ts';
import { publicLookup } from './public-lookup.ts';

const authority = join(certificates, 'authority.pem');
const systems = getCACertificates('default');
beforeEach(() => setDefaultCACertificates([...systems, readFileSync(authority, 'utf8')]));
afterAll(() => setDefaultCACertificates(systems));

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
const arrived: { url: string; headers: IncomingMessage['headers']; body: string }[] = [];
const tls = {
  key: readFileSync(join(certificates, 'server.key')),
  cert: readFileSync(join(certificates, 'server.pem')),
};
const port = await listening(
  createServer(tls, (request, response) => {
    void (async () => {
      arrived.push({ url: `${request.headers.host}${request.url}`, headers: request.headers, body: await text(request) });
      answer(request, response);
    })();
  }).on('tlsClientError', () => {}),
);
beforeEach(() => {
  arrived.length = 0;
  answer = (_, response) => response.writeHead(204).end();
});

let lookups: string[] = [];
/** Leads every name to the server of this test, which is on this machine. */
const toTheServer: LookupFunction = (hostname, options, done) => {
  lookups.push(hostname);
  if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};
const reach = { lookup: toTheServer, port, deadlineMs: 8_000 };
const hook = 'https://discord.com/api/webhooks/1/token?wait=true';
const message = { content: 'Closed BTC/USDT: +12.50 USDT', text: 'Closed BTC/USDT: +12.50 USDT' };
const post = (address = hook, over: Partial<typeof reach> = {}) => postWebhook(address, message, [], { ...reach, ...over });

test('OP-58 a message arrives as JSON, over a connection that was looked up once', async () => {
  lookups = [];
  expect(await post()).toEqual({ ok: true });
  expect(arrived).toMatchObject([
    {
      url: 'discord.com/api/webhooks/1/token?wait=true',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(message),
    },
  ]);
  expect(Object.keys(arrived[0]?.headers ?? {}).toSorted()).toEqual(['connection', 'content-length', 'content-type', 'host', 'user-agent']);
  expect(lookups).toEqual(['discord.com']);
});

test('a refused address is not looked up', async () => {
  lookups = [];
  expect(await post('https://127.0.0.1/')).toEqual({ ok: false, reason: 'not-public' });
  expect(await post('https://chat.harbour.trade/')).toEqual({ ok: false, reason: 'not-listed' });
  expect([lookups, arrived]).toEqual([[], []]);
});

test('a name that leads to this machine is refused before a connection is made', async () => {
  const lookup = publicLookup(async () => [{ address: '127.0.0.1', family: 4 }]);
  expect(await post(hook, { lookup })).toEqual({ ok: false, reason: 'host-not-public' });
  expect(arrived).toEqual([]);
});

describe('of an answer only the status counts', () => {
  test.each([301, 302, 303, 307, 308])('a redirect (%d) is not followed', async (status) => {
    answer = (_, response) => response.writeHead(status, { Location: 'https://hooks.slack.com/elsewhere' }).end();
    expect(await post()).toEqual({ ok: false, reason: 'refused', status });
    expect(arrived).toHaveLength(1);
  });

  test.each([400, 404, 429, 500])('a refusal (%d) is one', async (status) => {
    answer = (_, response) => response.writeHead(status).end('secret words of the other side');
    expect(await post()).toEqual({ ok: false, reason: 'refused', status });
  });

  test('an answer without end is cut off', async () => {
    let sent = 0;
    const cut = new Promise<void>((resolve) => {
      answer = (_, response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(16_384);
        const more = (): void => {
          while (!response.destroyed) {
            sent += chunk.length;
            if (!response.write(chunk)) return void response.once('drain', more);
          }
        };
        response.on('close', resolve).on('error', () => {});
        more();
      };
    });
    expect(await post(hook, { deadlineMs: 600_000 })).toEqual({ ok: true });
    await cut; // at once, not at the deadline
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  test('headers without end are refused', async () => {
    answer = (_, response) => {
      for (let i = 0; i < 40; i++) response.setHeader(`X-${i}`, 'x'.repeat(1_000));
      response.end();
    };
    expect(await post()).toEqual({ ok: false, reason: 'unreachable' });
  });

  test.each(['no answer', 'an answer byte by byte', 'a lookup'])('%s that takes too long is given up', async (slow) => {
    let timer: NodeJS.Timeout | undefined;
    answer = (request) => {
      if (slow === 'no answer') return;
      request.socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      timer = setInterval(() => request.socket.write('x'), 20);
      request.socket.on('error', () => {});
    };
    const never: LookupFunction = () => {};
    const result = await post(hook, { deadlineMs: 300, ...(slow === 'a lookup' ? { lookup: never } : {}) });
    clearInterval(timer);
    expect(result).toEqual({ ok: false, reason: 'too-slow' });
  });

  test('a connection that breaks, and one that is not made', async () => {
    answer = (request) => request.socket.destroy();
    expect(await post()).toEqual({ ok: false, reason: 'unreachable' });
    expect(await post(hook, { port: 1 })).toEqual({ ok: false, reason: 'unreachable' });
  });
});

describe('certificates', () => {
  test('of another host are refused, and nothing is sent', async () => {
    expect(await post('https://api.telegram.org/bot1:t/sendMessage')).toEqual({ ok: false, reason: 'untrusted-certificate' });
    expect(arrived).toEqual([]);
  });

  test('of an unknown authority are refused, also when the environment says that nobody need check', async () => {
    setDefaultCACertificates(systems);
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await post()).toEqual({ ok: false, reason: 'untrusted-certificate' });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
    expect(arrived).toEqual([]);
  });
});

test('a proxy of the environment is not used', async () => {
  let proxied = 0;
  const proxy = createPlainServer().on('connect', (_, socket) => {
    proxied += 1;
    socket.end('HTTP/1.1 502 No\r\n\r\n');
  });
  const proxyPort = await listening(proxy);
  const script = `import { postWebhook } from ${JSON.stringify(join(import.meta.dirname, 'post-webhook.ts'))};
    import { request } from 'node:https';
    const lookup = (_, options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
    const viaProxy = await new Promise((resolve) => request('https://discord.com/', { lookup }).on('error', () => resolve('tried')).end());
    const { ok } = await postWebhook('${hook}', {}, [], { lookup, port: ${port}, deadlineMs: 8000 });
    console.log(viaProxy, ok);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: {
      PATH: process.env['PATH'],
      NODE_EXTRA_CA_CERTS: authority,
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`,
      HTTP_PROXY: `http://127.0.0.1:${proxyPort}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect((await text(child.stdout)).trim()).toBe('tried true');
  expect(proxied).toBe(1); // by the ordinary request, which shows that the proxy was there to be used
  expect(arrived).toHaveLength(1);
});
