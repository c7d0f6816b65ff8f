import { ImagePlus, X } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { playgroundText } from './text.ts';

/** Maximum size in bytes of an image that the browser reads. The gateway has its own limits. */
const IMAGE_BYTES = 8 * 1024 * 1024;

/** Renders a button that opens the file dialog for images. */
export function ImagePicker({ onPick }: { readonly onPick: (files: readonly File[]) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={({ target }) => {
          onPick([...(target.files ?? [])]);
          // Allows the same image to be selected again.
          target.value = '';
        }}
      />
      <IconButton
        icon={ImagePlus}
        label={playgroundText.prompt.addImage}
        onClick={() => picker.current?.click()}
        className="size-6! pointer-coarse:size-10!"
      />
    </>
  );
}

/** Shows the images of a message, each with a remove button. */
export function PromptImages({
  images,
  onChange,
}: {
  readonly images: readonly string[];
  readonly onChange: (images: readonly string[]) => void;
}) {
  return (
    <ul className="mt-2 flex flex-wrap gap-2">
      {images.map((url, index) => (
        <li key={url} className="relative">
          <img
            src={url}
            alt={playgroundText.prompt.imageAlt(index + 1)}
            className="size-16 rounded-control border border-line object-cover"
          />
          <IconButton
            icon={X}
            label={playgroundText.prompt.removeImage(index + 1)}
            onClick={() => onChange(images.filter((other) => other !== url))}
            className="absolute! -top-2 -right-2 size-6 rounded-full! border border-line bg-surface"
          />
        </li>
      ))}
    </ul>
  );
}

/** Returns whether a file can be added to a prompt as an image, by its type and size. */
export function isAcceptedImageFile({ type, size }: File): boolean {
  return type.startsWith('image/') && size <= IMAGE_BYTES;
}

/** Reads a file as a `data:` URL. */
export function readFileAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(playgroundText.prompt.imageUnreadable));
    reader.readAsDataURL(file);
  });
}
