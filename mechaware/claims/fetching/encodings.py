"""Undoes the encoding of an HTTP body in pieces of bounded size: a short body may stand for an endless one."""

import zlib
from collections.abc import Iterable, Iterator

CHUNK = 65536


class UnknownEncodingError(ValueError):
    """An encoding that nobody asked for."""


class BrokenEncodingError(ValueError):
    """Bytes that are not in the encoding that is declared."""


class CutEncodingError(ValueError):
    """A body that ends too early."""


def decoded(encoding: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The body of a reply whose Content-Encoding is `encoding`, in pieces of at most `CHUNK` bytes where it is packed.

    Raises `UnknownEncodingError`, `BrokenEncodingError` or `CutEncodingError`.
    """
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        yield from chunks
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise UnknownEncodingError(f"sent in encoding {encoding}, unasked")
    stream = zlib.decompressobj(zlib.MAX_WBITS | 32)  # 32: gzip or zlib, as the data say
    try:
        for chunk in chunks:
            while chunk and not stream.eof:
                yield stream.decompress(chunk, CHUNK)
                chunk = stream.unconsumed_tail
        yield stream.flush()  # the few bytes that it still holds
    except zlib.error as error:
        raise BrokenEncodingError(f"its {encoding} encoding is broken") from error
    if not stream.eof:
        raise CutEncodingError(f"the {encoding} body is cut")
