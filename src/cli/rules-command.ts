import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { toTypeScript } from '#engine/rules/to-typescript.ts';
import { wordsOf } from '#engine/rules/words.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from './command-error.ts';
import { readOptions } from './options.ts';
import { soundDocument } from './rules-file.ts';

const file = { name: 'FILE', help: 'the document, a JSON file' };
const template = { name: 'NAME', help: `a built-in strategy: ${Object.keys(rulesTemplates).join(', ')}` };

/** What can be done with rules, each with the lines it prints. */
const actions: Record<string, { summary: string; argument: { name: string; help: string }; lines(argument: string): string[] }> = {
  check: {
    summary: 'Says what is wrong with a document of rules, or what it does, in words.',
    argument: file,
    lines: (path) => wordsOf(soundDocument(path)),
  },
  'to-typescript': {
    summary: 'Writes the strategy file that does what a document of rules does.',
    argument: file,
    lines: (path) => toTypeScript(soundDocument(path)).trimEnd().split('\n'),
  },
  template: {
    summary: 'Writes a built-in strategy as a document of rules.',
    argument: template,
    lines(name) {
      if (!Object.hasOwn(rulesTemplates, name))
        throw new CommandError(`There are no rules of "${name}". Give one of ${Object.keys(rulesTemplates).join(', ')}.`);
      return JSON.stringify(rulesTemplates[name], null, 2).split('\n');
    },
  },
};

/** Prints a document of rules in words or as a file, or says its faults; 2 when it has some. */
export async function rulesCommand(words: readonly string[], say: Say, complain: Say = complainToStandardError): Promise<number> {
  return await exitCodeOf(say, complain, async () => {
    const [name = '', ...rest] = words;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) return refuseAction(words);
    const { summary, argument } = action;
    const given = readOptions(rest, { name: `rules ${name}`, summary, argument, options: {} });
    for (const line of action.lines(given.argument)) say(line);
    return 0;
  });
}

function refuseAction(words: readonly string[]): never {
  const given = readOptions(words.slice(0, 1), {
    name: 'rules',
    summary: 'Works on strategies of rules, which are documents without code.',
    argument: { name: 'ACTION', help: Object.keys(actions).join(', ') },
    options: {},
    examples: Object.entries(actions).map(([name, { argument, summary }]) => `flotilla rules ${name} ${argument.name}: ${summary}`),
  });
  throw new CommandError(`"${given.argument}" is nothing that can be done with rules. Give one of ${Object.keys(actions).join(', ')}.`);
}
