// npm run bench: measures what the product promises, and says on which machine.
import { cpus, totalmem } from 'node:os';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, runNode, say } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
const wanted = process.argv.slice(2);
say(
  `${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}\n`,
);
for (const file of readdirSync(join(root, 'bench'))
  .filter((name) => name.endsWith('.ts'))
  .sort()) {
  const name = file.slice(0, -3);
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  say(`== ${name}`);
  runNode(['--expose-gc', join('bench', file)]);
}
