import { isEmailAddress } from '#contract/email-address.ts';
import { smtpUrlFault } from '#mail/smtp-settings.ts';
import { isPublicHost } from '#outbound/webhook-url.ts';
import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import type { LiveTrading } from '#storage/trades/trade-mode.ts';
import { isIP } from 'node:net';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';

/** Everything the environment says, checked. */
export interface Config {
  host: string;
  port: number;
  home: string; // the instance folder: data, mail files, keys
  databaseUrl: string | null; // null: the embedded database
  smtpUrl: string | null; // null: mails go to files
  sandboxUrl: string | null; // the simulated exchange; null: none is running, and its markets cannot be asked
  admin: { email: string; password: string } | null;
  masterKey: { file: string | null; text: string | null; isLost: boolean }; // of null: the key is in the instance folder
  publicUrl: URL | null; // where people reach the server, when that is not host and port
  webhookHosts: readonly string[]; // chats besides the well-known ones that messages may be sent to
  googleAccountFile: string | null; // of the account that writes rows to spreadsheets; null: none are written
  trustedProxies: readonly string[]; // addresses and ranges of proxies whose X-Forwarded-For names the person's address
  metricsPort: number; // on loopback; 0: no metrics
  liveTrading: LiveTrading;
  mostBots: number; // a runner never holds more
  mostBotsOfPerson: number; // ten times as many pairs
  backtestNiceness: number; // how far backtests and studies give way: 0 not at all, 19 as far as the system can
  python: PythonPlaces; // where the Python of strategies is looked for
  isDemo: boolean;
  isLoopback: boolean; // it listens on loopback only
  isOpen: boolean; // others than the people at this machine are meant to reach it
}

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '::1']);

const url = (name: string, protocols: readonly string[]) =>
  z
    .string()
    .optional()
    .transform((text) => (text === undefined || text === '' ? null : text))
    .refine((text) => text === null || (URL.canParse(text) && protocols.includes(new URL(text).protocol)), {
      error: `${name} must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    });

/** An address, or a range of them such as 10.0.0.0/8. The range of all addresses is refused: everybody could name any address. */
function isAddressOrRange(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/u.test(length) && Number(length) >= 1 && Number(length) <= (family === 4 ? 32 : 128));
}

/** Whether an address names another machine than this one. */
function isPublic(address = ''): boolean {
  return URL.canParse(address) && !loopbackHosts.has(new URL(address).hostname.replaceAll(/[[\]]/gu, ''));
}

const environment = z.object({
  HOST: z
    .string()
    .default('127.0.0.1')
    .refine((host) => /^[\w.:-]+$/u.test(host), 'HOST must be a host name or an address, e.g. 127.0.0.1'),
  PORT: z
    .string()
    .default('3000')
    .refine((text) => /^\d{1,5}$/u.test(text) && Number(text) >= 1 && Number(text) <= 65_535, 'PORT must be a number from 1 to 65535'),
  METRICS_PORT: z
    .string()
    .default('0')
    .refine((text) => /^\d{1,5}$/u.test(text) && Number(text) <= 65_533, 'METRICS_PORT must be a number from 0 to 65533'),
  FLOTILLA_HOME: z.string().default(''),
  FLOTILLA_PYTHON: z.string().default(''),
  PATH: z.string().default(''),
  DATABASE_URL: url('DATABASE_URL', ['postgres:', 'postgresql:']),
  SMTP_URL: z
    .string()
    .default('')
    .superRefine((text, context) => {
      const fault = text === '' ? null : smtpUrlFault(text);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    })
    .transform((text) => (text === '' ? null : text)),
  SANDBOX_URL: url('SANDBOX_URL', ['http:']),
  PUBLIC_URL: url('PUBLIC_URL', ['http:', 'https:']),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => (text.trim() === '' ? [] : text.split(',').map((proxy) => proxy.trim())))
    .refine(
      (proxies) => proxies.every(isAddressOrRange),
      'TRUSTED_PROXIES must be addresses or ranges with commas between them, e.g. 127.0.0.1,10.0.0.0/8',
    ),
  WEBHOOK_HOSTS: z
    .string()
    .default('')
    .transform((text) => (text.trim() === '' ? [] : text.split(',').map((host) => host.trim().toLowerCase())))
    .refine(
      (hosts) => hosts.every((host) => /^[a-z0-9.-]{1,253}$/u.test(host) && isPublicHost(host)),
      'WEBHOOK_HOSTS must be public host names with commas between them, e.g. chat.example.com',
    ),
  GOOGLE_SERVICE_ACCOUNT_FILE: z.string().default(''),
  MASTER_KEY_FILE: z.string().default(''),
  MASTER_KEY: z.string().default(''),
  MASTER_KEY_LOST: z.enum(['yes', ''], { error: 'MASTER_KEY_LOST must be yes, for one start only' }).default(''),
  ADMIN_EMAIL: z
    .string()
    .optional()
    .refine((text) => text === undefined || text === '' || isEmailAddress(text), 'ADMIN_EMAIL must be an e-mail address'),
  ADMIN_PASSWORD: z
    .string()
    .optional()
    .refine(
      (text) => text === undefined || text === '' || (text.length >= 8 && text.length <= 128),
      'ADMIN_PASSWORD must have 8 to 128 characters',
    ),
  LIVE_TRADING: z
    .enum(['off', 'sandbox', 'on', ''], { error: 'LIVE_TRADING must be off, sandbox or on' })
    .default('')
    .transform((text) => (text === '' ? 'sandbox' : text)),
  RUNNER_MAX_BOTS: z
    .string()
    .default('')
    .refine((text) => /^([1-9]\d{0,5})?$/u.test(text), 'RUNNER_MAX_BOTS must be a number from 1 to 999999')
    .transform((text) => Number(text === '' ? 2000 : text)),
  PERSON_MAX_BOTS: z
    .string()
    .default('')
    .refine((text) => /^([1-9]\d{0,5})?$/u.test(text), 'PERSON_MAX_BOTS must be a number from 1 to 999999')
    .transform((text) => Number(text === '' ? 200 : text)),
  BACKTEST_NICENESS: z
    .string()
    .default('')
    .refine((text) => /^(1?\d)?$/u.test(text), 'BACKTEST_NICENESS must be a number from 0 to 19')
    .transform((text) => Number(text === '' ? 19 : text)),
  DEMO: z
    .enum(['on', 'off', ''], { error: 'DEMO must be on or off' })
    .optional()
    .transform((text) => (text === '' ? undefined : text)),
});

/**
 * Reads the settings from the environment. `root` is the folder of the program, where the instance folder lies when
 * FLOTILLA_HOME does not say otherwise.
 *
 * Fails: with one line for every value that is wrong
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, root: string): Config {
  const read = environment.safeParse(env);
  const faults = read.success ? [] : read.error.issues.map((issue) => issue.message);
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  if (isSet('ADMIN_EMAIL') !== isSet('ADMIN_PASSWORD')) faults.push('ADMIN_EMAIL and ADMIN_PASSWORD must be set together');
  const isLoopback = loopbackHosts.has(env['HOST'] || '127.0.0.1');
  if (env['DEMO'] === 'on' && !isLoopback) faults.push('DEMO=on needs a HOST on loopback, because its accounts are for trying out');
  if (env['DEMO'] === 'on' && isPublic(env['PUBLIC_URL']))
    faults.push('DEMO=on needs a PUBLIC_URL on loopback or none, because its accounts are for trying out');
  // It would switch off the check of every certificate: of exchanges, of the mail server, of webhooks.
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    faults.push('NODE_TLS_REJECT_UNAUTHORIZED=0 is refused; name a certificate authority of your own with NODE_EXTRA_CA_CERTS');
  if (!read.success || faults.length > 0) throw new Error(['The settings are wrong:', ...new Set(faults)].join('\n  '));
  const values = read.data;
  const home = values.FLOTILLA_HOME === '' ? join(root, '.flotilla') : values.FLOTILLA_HOME;
  const isBare = !['DATABASE_URL', 'SMTP_URL', 'ADMIN_EMAIL', 'ADMIN_PASSWORD', 'PUBLIC_URL', 'TRUSTED_PROXIES'].some(isSet);
  const folder = isAbsolute(home) ? home : resolve(home);
  return {
    host: values.HOST,
    port: Number(values.PORT),
    home: folder,
    databaseUrl: values.DATABASE_URL,
    smtpUrl: values.SMTP_URL,
    sandboxUrl: values.SANDBOX_URL,
    masterKey: {
      file: values.MASTER_KEY_FILE === '' ? null : resolve(values.MASTER_KEY_FILE),
      text: values.MASTER_KEY === '' ? null : values.MASTER_KEY,
      isLost: values.MASTER_KEY_LOST === 'yes',
    },
    publicUrl: values.PUBLIC_URL === null ? null : new URL(values.PUBLIC_URL),
    trustedProxies: values.TRUSTED_PROXIES,
    webhookHosts: values.WEBHOOK_HOSTS,
    metricsPort: Number(values.METRICS_PORT),
    googleAccountFile: values.GOOGLE_SERVICE_ACCOUNT_FILE === '' ? null : resolve(values.GOOGLE_SERVICE_ACCOUNT_FILE),
    admin:
      isSet('ADMIN_EMAIL') && isSet('ADMIN_PASSWORD') ? { email: values.ADMIN_EMAIL ?? '', password: values.ADMIN_PASSWORD ?? '' } : null,
    liveTrading: values.LIVE_TRADING,
    mostBots: values.RUNNER_MAX_BOTS,
    mostBotsOfPerson: values.PERSON_MAX_BOTS,
    backtestNiceness: values.BACKTEST_NICENESS,
    python: { given: null, configured: values.FLOTILLA_PYTHON === '' ? null : values.FLOTILLA_PYTHON, home: folder, path: values.PATH },
    isDemo: values.DEMO === undefined ? isBare && isLoopback : values.DEMO === 'on',
    isLoopback,
    isOpen: !isLoopback || isPublic(values.PUBLIC_URL ?? ''),
  };
}
