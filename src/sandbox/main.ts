import { fstatSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { type SandboxOptions, startSandbox } from './sandbox.ts';

/**
 * Runs the sandbox as a process of its own:
 *
 *   node src/sandbox/main.ts [--port 0] [--seed 7] [--factor 1] [--start 1743727500000] [--control-port 0] [--crowd 0]
 *     [--folder /path/where/the/accounts/are/kept]
 *     [--replay spot:BTC/USDT:/path/BTC_USDT-5m.csv.gz]... [--replay-from 1743727500000]
 *
 * When it is ready it prints one line of JSON: {"port":40123,"url":"http://127.0.0.1:40123","controlPort":null,"simulated":true}.
 * It ends on SIGTERM and SIGINT, and when its standard input is a pipe that closes, as it does when its parent dies.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    seed: { type: 'string' },
    factor: { type: 'string' },
    start: { type: 'string' },
    'control-port': { type: 'string' },
    crowd: { type: 'string' },
    folder: { type: 'string' },
    replay: { type: 'string', multiple: true },
    'replay-from': { type: 'string' },
  },
});

try {
  const sandbox = await startSandbox(options());
  const { port, url, controlPort } = sandbox;
  const end = () => void sandbox.close().then(() => process.exit(0));
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  // A pipe that closes is a parent that died. A closed file or terminal in its place means nothing.
  const input = fstatSync(0);
  if (input.isFIFO() || input.isSocket()) process.stdin.on('end', end).on('error', end).resume();
  // A heartbeat for the parent that started this with a channel (src/child-process.ts): the sandbox is not frozen.
  setInterval(() => {
    if (process.connected) process.send?.('alive', undefined, undefined, () => {});
  }, secondMs).unref();
  process.stdout.write(`${JSON.stringify({ port, url, controlPort, simulated: true })}\n`);
} catch (error) {
  process.stderr.write(`The sandbox cannot start: ${errorText(error)}\n`);
  process.exit(1);
}

function options(): SandboxOptions {
  const numbers = {
    port: numberOf('port'),
    seed: numberOf('seed'),
    factor: numberOf('factor'),
    startTime: numberOf('start'),
    controlPort: numberOf('control-port'),
    crowd: numberOf('crowd'),
  };
  const given = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
  const folder = values.folder === undefined ? {} : { folder: values.folder };
  return { ...given, ...folder, replays: (values.replay ?? []).map(replayOf) };
}

function numberOf(name: 'port' | 'seed' | 'factor' | 'start' | 'control-port' | 'crowd' | 'replay-from'): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`--${name} must be a number, not "${text}".`);
  return value;
}

function replayOf(text: string) {
  const match = /^(spot|futures):([A-Z0-9]+)\/([A-Z0-9]+):(.+)$/.exec(text);
  if (match === null) throw new Error(`--replay must read like spot:BTC/USDT:/path/file.csv.gz, not "${text}".`);
  const [, market, base, quote, file] = match as unknown as [string, 'spot' | 'futures', string, string, string];
  const playFrom = numberOf('replay-from');
  return { market, base, quote, file, loop: true, ...(playFrom === undefined ? {} : { playFrom }) };
}
