/** Something that can be gone to or done. */
export interface Command {
  id: string;
  group: 'Screens' | 'Bots' | 'Pairs' | 'Actions';
  label: string;
  hint?: string; // what distinguishes commands of the same label
  run: () => void;
}

const mostShown = 14;

/**
 * The commands that a text finds, the best first: each of its words is in the label or the hint. A label that begins with the text
 * comes first, then one with a word that does; else they stay as they are. Without a text the pairs are left out: they are many.
 */
export function foundCommands(commands: readonly Command[], text: string): Command[] {
  const query = text.trim().toLowerCase();
  if (query === '') return commands.filter(({ group }) => group !== 'Pairs').slice(0, mostShown);
  const words = query.split(/\s+/u);
  const rankOf = ({ label, hint = '' }: Command): number => {
    const name = label.toLowerCase();
    if (!words.every((word) => name.includes(word) || hint.toLowerCase().includes(word))) return 3;
    if (name.startsWith(query)) return 0;
    return name.split(/[\s/]/u).some((word) => word.startsWith(query)) ? 1 : 2;
  };
  return commands
    .map((command) => ({ command, rank: rankOf(command) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, mostShown)
    .map(({ command }) => command);
}
