import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = dirname(import.meta.dirname);

/** Which rooms a room may import, and which packages it may know. The compiler refuses most of it; this says all of it. */
const rooms: Record<string, { rooms: string[]; packages: string[] }> = {
  engine: { rooms: [], packages: [] },
  strategies: { rooms: ['engine'], packages: [] },
  contract: { rooms: ['engine'], packages: ['zod'] },
  exchange: { rooms: ['engine'], packages: ['ccxt', 'node:'] },
  sandbox: { rooms: ['engine'], packages: ['ws', 'node:'] },
  storage: { rooms: ['engine'], packages: ['kysely', 'pg', 'pg-boss', 'node:'] },
  vault: { rooms: ['engine'], packages: ['@hpke/core', 'node:'] },
  mail: { rooms: ['engine', 'storage'], packages: ['nodemailer', 'node:'] },
  outbound: { rooms: [], packages: ['jose', 'node:'] },
  feeds: { rooms: ['engine', 'exchange'], packages: ['node:'] },
  'strategy-process': { rooms: ['engine', 'strategies'], packages: ['node:'] },
  runner: { rooms: ['engine', 'strategies', 'strategy-process', 'exchange', 'feeds', 'vault', 'storage', 'mail'], packages: ['node:'] },
  server: {
    rooms: ['engine', 'contract', 'strategies', 'strategy-process', 'feeds', 'vault', 'mail', 'storage', 'outbound'],
    packages: ['fastify', 'fastify-type-provider-zod', '@fastify/', '@node-rs/argon2', '@simplewebauthn/server', 'pdfkit', 'zod', 'node:'],
  },
  processes: {
    rooms: ['engine', 'contract', 'strategies', 'strategy-process', 'feeds', 'vault', 'mail', 'storage', 'runner', 'server', 'outbound'],
    packages: ['zod', 'node:'],
  },
  cli: {
    rooms: ['engine', 'contract', 'strategies', 'strategy-process', 'exchange', 'storage', 'processes'],
    packages: ['apache-arrow', 'commander', 'lz4-napi', 'node:'],
  },
  web: {
    rooms: ['engine', 'contract'],
    packages: [
      'react',
      'react-dom',
      'react-router',
      '@mantine/',
      '@tanstack/',
      '@tabler/icons-react',
      '@fontsource-variable/inter',
      '@simplewebauthn/browser',
      'lightweight-charts',
      'uqr',
      'zustand',
      'zod',
    ],
  },
};

/** What a folder of the web may import besides its own files. Features know the shared folders and no other feature; the shell composes them. */
const webShared = ['address', 'api', 'chart', 'live', 'session', 'ui'];
const webFolders: Record<string, string[]> = {
  address: [],
  api: [],
  ui: ['address'],
  chart: ['ui'],
  live: ['address', 'api', 'ui'],
  session: ['api'],
  'by-hand': ['address', 'api', 'live', 'ui'],
  account: webShared,
  audit: webShared,
  auth: webShared,
  backtest: webShared,
  bots: [...webShared, 'by-hand'],
  certificates: webShared,
  fleet: webShared,
  fund: webShared,
  installation: webShared,
  mails: webShared,
  monitoring: [...webShared, 'by-hand'],
  'pair-locks': webShared,
  'paper-trades': webShared,
  profits: webShared,
  reports: webShared,
  limits: webShared,
  alarms: webShared,
  differences: webShared,
  'live-accounts': webShared,
  strategy: webShared,
  'trade-orders': [...webShared, 'by-hand'],
  why: webShared,
  trading: webShared,
  users: webShared,
  shell: [
    ...webShared,
    'account',
    'audit',
    'backtest',
    'bots',
    'certificates',
    'fleet',
    'fund',
    'installation',
    'mails',
    'monitoring',
    'pair-locks',
    'paper-trades',
    'profits',
    'reports',
    'strategy',
    'trade-orders',
    'why',
    'trading',
    'limits',
    'alarms',
    'differences',
    'live-accounts',
    'users',
  ],
};

/** Words the engine may not say: it knows no clock, no chance, no timer and no network. */
const forbiddenInEngine: [RegExp, string][] = [
  [/\bDate\.now\b/u, 'take the time of the event'],
  [/\bnew Date\(\s*\)/u, 'take the time of the event'],
  [/\bperformance\.now\b/u, 'take the time of the event'],
  [/\bMath\.random\b/u, 'take a seed'],
  [/\bset(Timeout|Interval|Immediate)\b/u, 'return what is to be done; the runner waits'],
  [/\bfetch\(/u, 'ask through a port'],
  [/\bprocess\./u, 'take it as an argument'],
  [/\bconsole\./u, 'return it'],
  [/\bimport\(/u, 'import it at the top'],
];

const isTest = (file: string): boolean => /\.(test|contract)\.tsx?$/u.test(file) || file.includes('/testing/');

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

function sources(room: string): { file: string; text: string }[] {
  return filesBelow(room === 'strategies' ? join(root, 'strategies') : join(root, 'src', room))
    .filter((file) => /\.tsx?$/u.test(file) && !isTest(file))
    .map((file) => ({ file: relative(root, file), text: readFileSync(file, 'utf8') }));
}

function importsOf(text: string): string[] {
  const atTop = [...text.matchAll(/^(?:(?:import|export)\b[^'";]*\bfrom |import )'([^'\n]+)';?$/gmu)];
  const later = [...text.matchAll(/\bimport\(\s*'([^']+)'/gu)];
  return [...atTop, ...later].map((match) => match[1] ?? '');
}

/** The folder of a room in which a file lies, null for a file of the room itself. */
function folderIn(room: string, file: string): string | null {
  const [folder, ...below] = relative(join('src', room), file).split('/');
  return below.length === 0 ? null : (folder ?? null);
}

/** The file of the project that an import names; null for a package. */
function targetOf(file: string, name: string): string | null {
  if (name.startsWith('.')) return relative(root, resolve(root, dirname(file), name));
  if (name.startsWith('#strategies/')) return name.slice(1);
  return name.startsWith('#') ? `src/${name.slice(1)}` : null;
}

/** Which folder of a room imports which, with a file that does. */
function folderImports(room: string): { from: string; to: string; file: string }[] {
  return sources(room).flatMap(({ file, text }) =>
    importsOf(text).flatMap((name) => {
      const target = targetOf(file, name);
      if (target?.startsWith(`src/${room}/`) !== true) return [];
      const [from, to] = [folderIn(room, file), folderIn(room, target)];
      return from === null || to === null || from === to ? [] : [{ from, to, file }];
    }),
  );
}

/** The names on a way from a name back to itself along the imports; none when there is no such way. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): string[] => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return [];
    for (const next of imports.get(name) ?? []) {
      const circle = visit(next, [...way, name]);
      if (circle.length > 0) return circle;
    }
    done.add(name);
    return [];
  };
  for (const name of imports.keys()) {
    const circle = visit(name, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

describe('walls', () => {
  test.each(Object.keys(rooms))('the folders of %s do not import each other in a circle', (room) => {
    const imports = folderImports(room);
    const byFolder = new Map(imports.map(({ from }) => [from, imports.filter((other) => other.from === from).map(({ to }) => to)]));
    expect(circleIn(byFolder).join(' -> ')).toBe('');
  });

  test('no files import each other in a circle', () => {
    const found = Object.keys(rooms).flatMap((room) => sources(room));
    const imports = new Map(found.map(({ file, text }) => [file, importsOf(text).flatMap((name) => targetOf(file, name) ?? [])]));
    expect(imports.get('src/server/server.ts')).toContain('src/server/mount.ts');
    expect(imports.get('src/server/mount.ts')).toContain('src/contract/routes.ts');
    expect(circleIn(imports).join(' -> ')).toBe('');
  });

  test('a folder of the web imports only what it may', () => {
    const folders = new Set(sources('web').map(({ file }) => folderIn('web', file) ?? ''));
    folders.delete('');
    expect([...folders].sort()).toEqual(Object.keys(webFolders).sort());
    const imports = folderImports('web');
    expect(imports.length).toBeGreaterThan(0);
    for (const { from, to, file } of imports) expect(webFolders[from], `${file} imports ${to}`).toContain(to);
  });

  test.each(Object.entries(rooms))('%s imports only what it may', (room, may) => {
    const found = sources(room);
    expect(found.length).toBeGreaterThan(0);
    for (const { file, text } of found) {
      for (const name of importsOf(text)) {
        if (name.startsWith('.')) {
          const target = relative(root, resolve(root, dirname(file), name));
          const own = room === 'strategies' ? 'strategies/' : `src/${room}/`;
          expect(target.startsWith(own), `${file} reaches out of its room: ${name}`).toBe(true);
        } else if (name.startsWith('#')) {
          const other = name.slice(1).split('/')[0] ?? '';
          expect(may.rooms, `${file} imports ${name}`).toContain(other);
        } else {
          const isAllowed = may.packages.some(
            (allowed) => name === allowed || name.startsWith(allowed.endsWith('/') || allowed.endsWith(':') ? allowed : `${allowed}/`),
          );
          expect(isAllowed, `${file} imports the package ${name}`).toBe(true);
        }
      }
    }
  });

  test('nothing is loose in src/ but main.ts, and every folder is in the table', () => {
    const entries = readdirSync(join(root, 'src'), { withFileTypes: true });
    expect(entries.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual(['main.ts']);
    expect(
      entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort(),
    ).toEqual(
      Object.keys(rooms)
        .filter((room) => room !== 'strategies')
        .sort(),
    );
  });

  test('nobody imports the command line', () => {
    for (const room of Object.keys(rooms)) {
      for (const { file, text } of sources(room))
        expect(
          importsOf(text).some((name) => /(^|\/)main\.ts$/u.test(name) && !file.startsWith('src/web')),
          file,
        ).toBe(false);
    }
  });

  test('secrets are opened only where orders are signed, and where the key is changed', () => {
    const openers = ['opening', 'open-credentials'].map((name) => `vault/${name}.ts`);
    const mayOpen = [
      'src/vault/open-credentials.ts',
      'src/runner/key-checks.ts',
      'src/runner/orders/open-accounts.ts',
      'src/processes/runner.ts',
      'src/processes/change-key.ts',
    ];
    const found = Object.keys(rooms)
      .flatMap((room) => sources(room))
      .filter(({ text }) => importsOf(text).some((name) => openers.some((opener) => name.endsWith(opener.replace('vault/', '/')))))
      .map(({ file }) => file);
    expect(found.toSorted()).toEqual(mayOpen.toSorted());
  });

  test('the engine knows no clock, chance, timer or network', () => {
    for (const { file, text } of [...sources('engine'), ...sources('strategies')]) {
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, '');
      for (const [word, instead] of forbiddenInEngine) expect(word.test(code), `${file} says ${String(word)}: ${instead}`).toBe(false);
    }
  });

  test('ROLE-03, OP-45 the server never reads X-Role', () => {
    for (const { file, text } of sources('server')) expect(/x-role/iu.test(text), file).toBe(false);
  });

  test('only main files read the environment', () => {
    for (const room of Object.keys(rooms)) {
      for (const { file, text } of sources(room)) {
        if (file.startsWith('src/web')) continue;
        expect(/process\.env/u.test(text.replaceAll('...process.env', '')), `${file} reads the environment; take it as an argument`).toBe(
          false,
        );
      }
    }
  });
});

describe('documents', () => {
  test('name only files and folders of the project that are there', () => {
    const documents = [
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'README.md',
      ...filesBelow(join(root, 'docs')).map((file) => relative(root, file)),
    ];
    const named = documents
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) =>
        [...readFileSync(join(root, file), 'utf8').matchAll(/`((?:src|test|docs|scripts|bench|strategies)\/[\w./-]*)`/gu)].map((match) => ({
          file,
          path: match[1] ?? '',
        })),
      );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ path }) => !existsSync(join(root, path))).map(({ file, path }) => `${file}: ${path}`)).toEqual([]);
  });
});

describe('rooms without a door plate', () => {
  test('no file is called utils, helpers, common, misc or index', () => {
    const named = ['src', 'strategies', 'test', 'scripts', 'bench'].flatMap((folder) => filesBelow(join(root, folder)));
    const nameless = named.filter((file) => /(^|\/)(utils?|helpers?|common|misc|index)\.(ts|tsx|mjs)$/u.test(file));
    expect(nameless.map((file) => relative(root, file))).toEqual([]);
  });

  test('file names are kebab-case', () => {
    const named = ['src', 'strategies', 'test', 'scripts', 'bench'].flatMap((folder) => filesBelow(join(root, folder)));
    expect(named.map((file) => file.split('/').at(-1) ?? '').filter((name) => !/^[a-z0-9.-]+$/u.test(name))).toEqual([]);
  });
});

describe('exported things', () => {
  test.each(Object.keys(rooms))('%s says what each of its exports is', (room) => {
    for (const { file, text } of sources(room)) {
      const lines = text.split('\n');
      for (const [i, line] of lines.entries()) {
        if (!/^export (default )?(async )?(function|class|const|interface|type|abstract)/u.test(line)) continue;
        const above = lines[i - 1]?.trim() ?? '';
        expect(
          above.endsWith('*/') || above.startsWith('//') || /^export (async )?function \w+\(.*;$/u.test(above),
          `${file}:${i + 1} ${line}`,
        ).toBe(true);
      }
    }
  });
});
