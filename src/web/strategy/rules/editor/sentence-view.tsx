import type { Rule } from '#engine/rules/document.ts';
import { IconSelector } from '@tabler/icons-react';
import { isWithin } from '../edit/pieces-at.ts';
import type { SentencePart } from '../edit/sentence.ts';
import type { WithParameters } from '../edit/sentence.ts';
import { sentenceOf } from '../edit/sentence.ts';

/** See `SentenceView`. */
export interface SentenceViewProps extends WithParameters {
  rule: Rule;
  path: string;
  changed: readonly string[]; // ways to what was edited
  readOnly: boolean;
  opened: string | null; // the piece whose fields are open
  onOpen: (path: string | null) => void;
}

/** A condition as a sentence: each piece that can be changed is a button that opens its fields. */
export function SentenceView({ parameters, rule, path, changed, readOnly, opened, onOpen }: SentenceViewProps) {
  return (
    <span className="rules-sentence">
      {sentenceOf({ parameters }, rule, path).map((part, i) => {
        if (part.kind === 'text') return <span key={i}>{part.text}</span>;
        const isChanged = changed.some((each) => isWithin(each, part.path));
        const isOpen = opened === part.path;
        const className = lookOf(part, isChanged, isOpen);
        if (readOnly)
          return (
            <span key={i} className={className}>
              <Words part={part} />
            </span>
          );
        return (
          <button key={i} type="button" className={className} aria-expanded={isOpen} onClick={() => onOpen(isOpen ? null : part.path)}>
            <Words part={part} />
            {part.kind === 'operand' && part.parameter === null ? <IconSelector size={11} aria-hidden /> : null}
          </button>
        );
      })}
    </span>
  );
}

function Words({ part }: { part: Exclude<SentencePart, { kind: 'text' }> }) {
  if (part.parameter === null) return part.text;
  return (
    <>
      <i className="rules-diamond" aria-hidden />
      {part.parameter} <small>{part.text.slice(part.parameter.length + 1)}</small>
    </>
  );
}

function lookOf(part: Exclude<SentencePart, { kind: 'text' }>, isChanged: boolean, isOpen: boolean): string {
  const looks = ['rules-token', `rules-token-${part.kind}`];
  if (part.parameter !== null) looks.push('rules-token-parameter');
  if (isChanged) looks.push('rules-token-changed');
  if (isOpen) looks.push('rules-token-open');
  return looks.join(' ');
}
