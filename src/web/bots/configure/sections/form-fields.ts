import type { BotEntries } from '../bot-entries.ts';
import type { BotForm } from '../use-bot-form.ts';

/** What every section of the form gets. */
export interface FieldsProps {
  form: BotForm;
  invalid: string | null; // the field whose check failed
}

/** A field of the form that is a text or a list of texts. */
type TextEntry = Exclude<keyof BotEntries, 'own'>;

/** 'was 500' of a field of an existing bot that was changed, else undefined. */
export function wasOf({ changed, storedEntries }: BotForm, field: TextEntry): string | undefined {
  if (storedEntries === null || !changed.includes(field)) return undefined;
  const was = storedEntries[field];
  return was === null || String(was) === '' ? 'was empty' : `was ${Array.isArray(was) ? was.join(', ') : String(was)}`;
}

/** The same as the line below a text field. */
export function wasText(form: BotForm, field: TextEntry) {
  const was = wasOf(form, field);
  return was === undefined ? {} : { description: was, inputWrapperOrder: below };
}

const below: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];
