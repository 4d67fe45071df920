// What every command needs before it can run: the packages of the lock file, a Node that runs TypeScript, the built page.
// Plain JavaScript, because it runs on whatever Node is there.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the clone. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What Linux says of a file system that lies in memory. */
const tmpfs = 0x01021994;

/** The room that tests need for their databases, in bytes. */
const neededRoom = 6 * 2 ** 30;

/**
 * A folder in memory for the temporary files of tests, where there is room: they make many databases, and each is written to the disk
 * again and again. It is removed at the end. Undefined where there is none: they lie where the system has such files.
 */
export function folderInMemory() {
  const memory = '/dev/shm';
  if (process.env.TMPDIR !== undefined || !existsSync(memory)) return undefined;
  const { type, bavail, bsize } = statfsSync(memory);
  if (type !== tmpfs || bavail * bsize < neededRoom) return undefined;
  const folder = mkdtempSync(join(memory, 'flotilla-'));
  chmodSync(folder, 0o755); // the database has a user of its own
  // What was ended with the tests may still write.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}

/**
 * Installs the packages of the lock file when it has changed since the last time. `folder`: where the person stands, for names in the
 * environment.
 */
export function ensureInstalled(folder = root) {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const mark = join(root, 'node_modules', '.flotilla-lock');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  refuseWhileRunning('The packages of Flotilla have', join(root, 'node_modules'), folder);
  say('Installing packages (first start, about a minute) ...');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], process.env);
  writeFileSync(mark, wanted);
}

/** Where packages have a Node of their own, which only some platforms have. */
const ownNode = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');

/** The path of the Node that the product runs on: the one in the lock file, else this one when it is new enough. */
export function productNode() {
  if (existsSync(ownNode)) return ownNode;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  fail(`Flotilla needs Node 24 on ${process.platform} ${process.arch}; this is ${process.version}. Install Node 24 and start again.`);
}

/** The environment in which commands find the product's Node and the packages' programs first. */
export function productEnvironment() {
  const path = [dirname(productNode()), join(root, 'node_modules', '.bin'), process.env.PATH].join(':');
  return {
    ...process.env,
    PATH: path,
    // What was compiled once need not be compiled, nor freed of its types, at every start.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compiled'),
    NODE_OPTIONS: [process.env.NODE_OPTIONS, '--disable-warning=ExperimentalWarning'].filter(Boolean).join(' '),
  };
}

/** Builds the page when its sources have changed since the last time. `folder`: as above. */
export function ensureBuilt(folder = root) {
  const wanted = hashOf(['src/web', 'src/contract', 'src/engine', 'vite.config.ts', 'package-lock.json', 'scripts/build.mjs']);
  const mark = join(root, 'dist', 'web', '.sources');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  refuseWhileRunning('The page of Flotilla has', join(root, 'dist', 'web'), folder);
  say('Building the page ...');
  runNode(['scripts/build.mjs']);
  writeFileSync(mark, wanted);
}

/** What SQLite says of a file that another process has locked. */
const busy = 5;

/** Tries the lock that the product holds while it runs: see `src/processes/instance.ts`. */
const tryLock = `try {
  new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('select * from sqlite_master');
} catch (error) {
  process.exit(error.errcode === ${busy} ? ${busy} : 0);
}`;

/**
 * Ends with one sentence where the product runs on what would be changed: without its packages it can start no process again, and its
 * database fails; without its page people see none.
 */
function refuseWhileRunning(whatHas, place, folder) {
  const home = resolve(folder, process.env.FLOTILLA_HOME || join(root, '.flotilla'));
  const lock = join(home, 'instance.lock');
  if (!existsSync(place) || !existsSync(lock)) return; // nobody runs on what is not there
  const node = existsSync(ownNode) ? ownNode : process.execPath;
  if (spawnSync(node, ['-e', tryLock, lock], { stdio: 'ignore' }).status !== busy) return;
  fail(`${whatHas} changed, and it is running with the instance folder ${home}. Stop it first, then do this again.`);
}

/** Runs a program of the product to its end; ends this one with its code when it fails. */
export function runNode(args) {
  run(productNode(), args, productEnvironment());
}

/** How many lines of a program that failed are shown again at the end: its failures, as vitest and Playwright write them. */
const lastLines = 120;

/**
 * Runs rows of programs of the product beside each other: `[name, arguments, options]`. What each has said is shown when it has ended, or
 * at once with `isShown`; `folder` is for temporary files. When all have ended and some have failed, their last lines are shown again and this program ends.
 */
export async function runRows(rows) {
  process.on('SIGINT', () => undefined); // what runs ends by it, and then this
  const failed = [];
  const runRow = async (row) => {
    for (const [name, args, { isShown = false, folder } = {}] of row) {
      if (isShown) say(`\n== ${name}`);
      const { output, code } = await runAside(args, isShown, folder);
      say(`\n== ${name}: ${code === 0 ? 'passed' : 'FAILED'}${isShown ? '' : `\n${output.trimEnd()}`}`);
      if (code !== 0) failed.push({ name, end: output.trimEnd().split('\n').slice(-lastLines).join('\n') });
    }
  };
  await Promise.all(rows.map(runRow));
  for (const { name, end } of failed) say(`\n== ${name} failed:\n${end}`);
  if (failed.length > 0) fail(`\nFailed: ${failed.map(({ name }) => name).join(', ')}.`);
}

async function runAside(args, isShown, folder) {
  const env = folder === undefined ? productEnvironment() : { ...productEnvironment(), TMPDIR: folder };
  const child = spawn(productNode(), args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (isShown) process.stdout.write(text);
    });
  }
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', (status) => resolve(status ?? 1)));
  return { output, code };
}

/** Runs any program to its end; ends this one with its code when it fails. */
export function run(command, args, environment) {
  const { status, error, signal } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: environment });
  if (error) fail(`${command} cannot be run: ${error.message}`);
  if (status !== 0) process.exit(status ?? (signal === 'SIGINT' ? 130 : 1));
}

/** One line for the person who waits. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** Ends with one sentence. */
export function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of filesBelow(join(root, path))) hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .filter((name) => !name.includes('.test.'))
    .flatMap((name) => filesBelow(join(path, name)));
}
