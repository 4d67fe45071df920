import type { RulesDocument } from '#engine/rules/document.ts';
import { IconCopy } from '@tabler/icons-react';
import { useMemo } from 'react';
import { changeAddress } from '../../../address/address.ts';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { useCopiedText } from '../../../ui/use-copied-text.ts';
import { documentWords } from '../edit/document-words.ts';
import type { MarkedWord } from '../edit/marked-words.ts';
import { markedWords } from '../edit/marked-words.ts';

/** See `WordsPanel`. */
export interface WordsPanelProps {
  document: RulesDocument;
  saved: RulesDocument | null;
  strategyId: string | null; // null: nothing is saved yet
}

/** The rules as sentences; what the draft says otherwise than the saved version is marked. */
export function WordsPanel({ document, saved, strategyId }: WordsPanelProps) {
  const [note, copy] = useCopiedText();
  const sentences = useMemo(() => documentWords(document), [document]);
  const before = useMemo(() => (saved === null ? null : documentWords(saved)), [saved]);
  const marked = useMemo(() => (before === null ? sentences.map(plain) : markedWords(before, sentences)), [before, sentences]);
  return (
    <CardPanel
      title="In words"
      aside={
        <>
          <span role="status">{note}</span>
          <Button
            variant="ghost"
            size="small"
            icon={<IconCopy size={13} aria-hidden />}
            aria-label="Copy the words"
            onClick={() => copy(sentences.join('\n'))}
          >
            Copy
          </Button>
        </>
      }
      flush
    >
      <div className="rules-words">
        {marked.map((words, i) => (
          <p key={i}>
            <Sentence words={words} />
          </p>
        ))}
      </div>
      {strategyId === null ? null : (
        <p className="rules-foot">
          Order types and what is shared by all bots are set in{' '}
          <button type="button" className="rules-link" onClick={() => changeAddress({ view: null, strategy: strategyId })}>
            Configuration
          </button>
        </p>
      )}
    </CardPanel>
  );
}

/** What a sentence begins with stands out. */
const beginnings = ['Enter long', 'Exit long', 'Enter short', 'Exit short', 'Any entry', 'Add', 'Take out', 'Leave'];

function Sentence({ words }: { words: readonly MarkedWord[] }) {
  const text = words.map((word) => word.text).join(' ');
  const bold = beginnings.find((beginning) => text.startsWith(`${beginning} `))?.split(' ').length ?? 0;
  return words.map(({ text: word, isNew }, i) => {
    const shown = i < bold ? <b>{word}</b> : word;
    const space = i === words.length - 1 ? '' : ' ';
    return isNew ? (
      <mark key={i} className={words[i + 1]?.isNew === true ? 'rules-mark-on' : ''}>
        {shown}
        {space}
      </mark>
    ) : (
      <span key={i}>
        {shown}
        {space}
      </span>
    );
  });
}

function plain(sentence: string): MarkedWord[] {
  return sentence.split(' ').map((text) => ({ text, isNew: false }));
}
