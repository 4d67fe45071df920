import { describe, expect, test } from 'vitest';
import { moduleText } from './module-text.ts';
import { ProgramModules } from './program-modules.ts';

describe('modules for the browser', () => {
  const to = (text: string): string => moduleText(text, (specifier) => `/at/${specifier}`);

  test('have no types, and their imports lead where they should', () => {
    expect(
      to(
        [
          "import type { A } from './a.ts';",
          "import { b, type B } from './b.ts';",
          'import {',
          '  c,',
          "} from '#engine/c.ts';",
          "import './d.ts';",
          "export { e } from './e.ts';",
          "export * from './f.ts';",
          "const later = () => import('./g.ts');",
          "export const text: string = 'from nowhere';",
        ].join('\n'),
      ).replaceAll(/ +/gu, ' '),
    ).toBe(
      [
        ' ',
        "import { b, } from '/at/./b.ts';",
        'import {',
        ' c,',
        "} from '/at/#engine/c.ts';",
        "import '/at/./d.ts';",
        "export { e } from '/at/./e.ts';",
        "export * from '/at/./f.ts';",
        "const later = () => import('/at/./g.ts');",
        "export const text = 'from nowhere';",
      ].join('\n'),
    );
  });

  test('lines stay where they are, so that errors name them', () => {
    const text = "interface A {\n  b: number;\n}\nimport { c } from './c.ts';\n";
    expect(to(text).split('\n')).toHaveLength(text.split('\n').length);
  });
});

describe('modules of the program', () => {
  const modules = new ProgramModules();

  test('everything that the built-in strategies and the guard import is served', () => {
    const seen = new Map<string, string>();
    const follow = (address: string): void => {
      if (seen.has(address)) return;
      const prefix = `/api/program-modules/${modules.hash}/`;
      expect(address.startsWith(prefix), address).toBe(true);
      const text = modules.text(address.slice(prefix.length));
      expect(text, address).not.toBeNull();
      seen.set(address, text ?? '');
      for (const [, next] of (text ?? '').matchAll(/^(?:import|export)[^'";]*from '([^']+)'/gmu)) follow(next ?? '');
    };
    follow(modules.addressOf('strategies/built-in.ts'));
    follow(modules.addressOf('src/strategy-process/code/guarded-strategy.ts'));
    expect(seen.size).toBeGreaterThan(30);
    for (const text of seen.values()) expect(text).not.toMatch(/^import[^'";]*from '(?:node:|#)/gmu);
  });

  test('nothing else is served: no tests, no other rooms, no files of the machine', () => {
    for (const path of [
      'src/server/server.js',
      'src/engine/lab/study.test.js',
      'src/engine/market/testing/an-instrument.js',
      '../package.json',
      'strategies/../package.json',
      '/etc/passwd',
      '',
    ])
      expect(modules.text(path), path).toBeNull();
  });

  test('a file may import the engine, the built-in strategies, and nothing else of the program', () => {
    expect(modules.addressIn('#engine/indicators/ema.ts')).toBe(`/api/program-modules/${modules.hash}/src/engine/indicators/ema.js`);
    expect(modules.addressIn('#strategies/crossing.ts')).toBe(`/api/program-modules/${modules.hash}/strategies/crossing.js`);
    expect(['#server/server.ts', 'node:fs', 'zod', './own.ts'].map((specifier) => modules.addressIn(specifier))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
