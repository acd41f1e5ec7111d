//! Decompression: gzip (RFC 1952, any number of members), zstd (RFC 8878, any number of frames) and LZ4 (any number of frames),
//! all recognized by their magic bytes and never by the name of the file.

use crate::error::{At, ReadError};
use crate::input::Packed;
use crate::limits::Limits;
use flate2::bufread::MultiGzDecoder;
use lz4_flex::frame::FrameDecoder as Lz4Decoder;
use profile::{WarningCode, Warnings};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder, StreamingDecoder};
use std::borrow::Cow;
use std::error::Error;
use std::io::{self, BufRead as _, Read};

/// How many layers [`prefix`] removes.
const MAX_LAYERS: usize = 2;

/// The length of the longest blocks of LZ4.
const MAX_LZ4_BLOCK: usize = 4 << 20;

/// How many bytes [`Codec::of`] looks at.
pub(crate) const MAGIC_BYTES: usize = 4;

/// The bytes of the header of a skippable frame of zstd.
const SKIPPABLE_HEADER: usize = 8;

/// Bytes that are decompressed as they are read. An error is a [`ReadError`] ([`error_in`]).
pub(crate) fn decoder<'s>(codec: Codec, packed: Packed<'s>) -> Box<dyn Read + Send + 's> {
    match codec {
        Codec::Gzip => Box::new(Named { codec, source: MultiGzDecoder::new(packed) }),
        Codec::Zstd => Box::new(Named { codec, source: ZstdFrames::new(packed) }),
        Codec::Lz4 => Box::new(Named { codec, source: Lz4Frames::new(packed) }),
    }
}

/// The error of a [`decoder`], or an error of a source of bytes as an error of the file.
pub(crate) fn error_in(error: io::Error) -> ReadError {
    error.downcast().unwrap_or_else(|error| ReadError::io(&error))
}

/// The first `n` decompressed bytes of a file, for [`crate::detect()`] during discovery. Reads as many bytes, or for
/// LZ4 the whole first block, which may have 4 MB.
///
/// # Errors
/// The file cannot be read.
pub fn read_prefix(mut file: impl Read, n: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.by_ref().take(n as u64).read_to_end(&mut bytes)?;
    if let Some(end) = end_of_first_lz4_block(&bytes) {
        file.take(end.saturating_sub(bytes.len()) as u64).read_to_end(&mut bytes)?;
    }
    Ok(prefix(&bytes, n).into_owned())
}

/// Where the first block of an LZ4 frame ends (<https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md>).
fn end_of_first_lz4_block(bytes: &[u8]) -> Option<usize> {
    let Some(Codec::Lz4) = Codec::of(bytes) else { return None };
    let flags = *bytes.get(4)?;
    let [checksums, content_size, dictionary] = [0x10, 0x08, 0x01].map(|flag| flags & flag != 0);
    // The magic number, the flags, the size of blocks, what is optional, and a checksum.
    let block = 7 + if content_size { 8 } else { 0 } + if dictionary { 4 } else { 0 };
    let size = u32::from_le_bytes(bytes.get(block..block + 4)?.try_into().ok()?) & 0x7fff_ffff;
    let size = usize::try_from(size).ok()?.min(MAX_LZ4_BLOCK);
    Some(block + 4 + size + if checksums { 4 } else { 0 })
}

/// The first `n` decompressed bytes, or fewer if `bytes` do not contain more or have an error.
///
/// zstd has blocks of up to 128 KiB and an incomplete block yields nothing, so `bytes` should not be shorter than
/// that.
pub fn prefix(bytes: &[u8], n: usize) -> Cow<'_, [u8]> {
    let mut front = Cow::Borrowed(bytes);
    for _ in 0..MAX_LAYERS {
        let mut out = Vec::new();
        // An error is ignored: the bytes before it are enough.
        let _ = match Codec::of(&front) {
            None => break,
            Some(Codec::Gzip) => MultiGzDecoder::new(&*front).take(n as u64).read_to_end(&mut out),
            Some(Codec::Lz4) => Lz4Frames::new(&*front).take(n as u64).read_to_end(&mut out),
            Some(Codec::Zstd) => first_zstd_blocks(&front, n).take(n as u64).read_to_end(&mut out),
        };
        front = Cow::Owned(out);
    }
    match front {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..n).unwrap_or(bytes)),
        inflated @ Cow::Owned(_) => inflated,
    }
}

/// A form of compression.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Codec {
    Gzip,
    Zstd,
    Lz4,
}

impl Codec {
    /// The compression of data that begin with these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            // A normal frame or a skippable one, which parallel compressors write first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            [0x04, 0x22, 0x4d, 0x18, ..] => Some(Self::Lz4),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Lz4 => "LZ4",
        }
    }
}

/// The error for data that inflate to more than `limit` bytes.
pub(crate) fn too_large(codec: Codec, limit: u64) -> ReadError {
    ReadError::too_large(format!(
        "the {} data inflate to more than maxProfileBytes = {limit} bytes; raise that setting to read them",
        codec.name()
    ))
}

fn failure(codec: Codec, at: At, error: io::Error) -> ReadError {
    let name = codec.name();
    let error = match error.downcast::<ReadError>() {
        // That of the layer outside.
        Ok(outer) => return outer,
        Err(error) => error,
    };
    if ended_early(&error) {
        ReadError::truncated(at, format!("the {name} data end too early"))
    } else {
        ReadError::malformed(at, format!("the {name} data are corrupt ({error})"))
    }
}

/// Whether the innermost cause is that the data ended early.
fn ended_early(error: &io::Error) -> bool {
    let inner = error.get_ref().map(|inner| inner as &(dyn Error + 'static));
    error.kind() == io::ErrorKind::UnexpectedEof
        || std::iter::successors(inner, |&error| error.source())
            .filter_map(|error| error.downcast_ref::<io::Error>())
            .any(|error| error.kind() == io::ErrorKind::UnexpectedEof)
}

/// A decoder that knows how many compressed bytes it has taken.
trait Decoder: Read {
    fn offset(&self) -> u64;
}

impl Decoder for MultiGzDecoder<Packed<'_>> {
    fn offset(&self) -> u64 {
        self.get_ref().offset()
    }
}

/// Decodes all frames of LZ4 data. (`lz4_flex` decodes single frames, and takes data that end between two blocks for
/// whole ones.)
struct Lz4Frames<R: Read> {
    frame: Lz4Decoder<Ending<R>>,
    /// Whether the last frame has ended.
    is_between: bool,
}

/// A source that knows whether more was wanted than it has.
struct Ending<R> {
    source: R,
    has_ended: bool,
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(buffer)?;
        self.has_ended |= n == 0 && !buffer.is_empty();
        Ok(n)
    }
}

impl<R: Read> Lz4Frames<R> {
    fn new(source: R) -> Self {
        let frame = Lz4Decoder::new(Ending { source, has_ended: false });
        Self { frame, is_between: true }
    }
}

impl<R: io::BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.is_between && self.frame.get_mut().source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let n = self.frame.read(buffer)?;
            self.is_between = n == 0;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            if self.frame.get_ref().has_ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

impl Decoder for Lz4Frames<Packed<'_>> {
    fn offset(&self) -> u64 {
        self.frame.get_ref().source.offset()
    }
}

/// A decoder whose errors name the compression and the place.
struct Named<D> {
    codec: Codec,
    source: D,
}

impl<D: Decoder> Read for Named<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.source.read(buffer).map_err(|error| {
            let at = At::Byte(self.source.offset());
            io::Error::other(failure(self.codec, at, error))
        })
    }
}

/// Decodes all frames of zstd data, one after the other. (ruzstd decodes single frames and does not
/// verify their checksums.)
enum ZstdFrames<'s> {
    Before(Packed<'s>),
    Within(Box<StreamingDecoder<Packed<'s>, FrameDecoder>>),
    /// The data end within the frame: what the decoder held back, and the error after that.
    Cut(Box<StreamingDecoder<Packed<'s>, FrameDecoder>>, Option<io::Error>),
    /// An error ended the data. ruzstd drops a source whose frame has a broken header.
    Broken(u64),
}

impl<'s> ZstdFrames<'s> {
    fn new(packed: Packed<'s>) -> Self {
        Self::Before(packed)
    }

    /// Begins the next frame; `false` at the end of the data.
    fn begin(&mut self) -> io::Result<bool> {
        let Self::Before(packed) = self else { return Ok(true) };
        skip_skippable_frames(packed)?;
        if packed.peek(1).is_empty() {
            // The end, or an error.
            return packed.fill_buf().map(|_| false);
        }
        let offset = packed.offset();
        let Self::Before(packed) = std::mem::replace(self, Self::Broken(offset)) else {
            return Ok(true);
        };
        *self = Self::Within(Box::new(StreamingDecoder::new(packed).map_err(io::Error::other)?));
        Ok(true)
    }
}

impl ZstdFrames<'_> {
    /// Ends the frame where the data end, because a decoder holds back up to one window until then.
    fn cut(&mut self, error: io::Error) {
        let broken = Self::Broken(self.offset());
        if let Self::Within(mut frame) = std::mem::replace(self, broken) {
            let end = &LAST_EMPTY_RAW_BLOCK_AND_CHECKSUM[..];
            let _ = frame.decoder.decode_blocks(end, BlockDecodingStrategy::All);
            *self = Self::Cut(frame, Some(error));
        }
    }
}

impl Decoder for ZstdFrames<'_> {
    fn offset(&self) -> u64 {
        match self {
            Self::Before(packed) => packed.offset(),
            Self::Within(frame) | Self::Cut(frame, _) => frame.get_ref().offset(),
            Self::Broken(offset) => *offset,
        }
    }
}

impl Read for ZstdFrames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.begin()? {
            if let Self::Cut(frame, error) = self {
                return match frame.decoder.read(buffer)? {
                    0 => error.take().map_or(Ok(0), Err),
                    n => Ok(n),
                };
            }
            let Self::Within(frame) = self else { break };
            let n = match frame.read(buffer) {
                Err(error) if ended_early(&error) => {
                    self.cut(error);
                    continue;
                }
                read => read?,
            };
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            let stored = frame.decoder.get_checksum_from_data();
            if stored.is_some() && stored != frame.decoder.get_calculated_checksum() {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the checksum does not match",
                ));
            }
            let offset = self.offset();
            if let Self::Within(frame) = std::mem::replace(self, Self::Broken(offset)) {
                *self = Self::Before(frame.into_inner());
            }
        }
        Ok(0)
    }
}

/// The end of a zstd frame, for a frame that is cut. It fits frames with and without a checksum.
const LAST_EMPTY_RAW_BLOCK_AND_CHECKSUM: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// How many bytes [`unfinished_zstd`] decodes at once.
const STEP: u64 = 1 << 20;

/// The length of a skippable frame (RFC 8878, section 3.1.2) that begins with `bytes`.
fn skippable_frame(bytes: &[u8]) -> Option<u64> {
    let [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, ..] = bytes else { return None };
    Some(SKIPPABLE_HEADER as u64 + u64::from(u32::from_le_bytes([*a, *b, *c, *d])))
}

fn skip_skippable_frames(packed: &mut Packed<'_>) -> io::Result<()> {
    while let Some(len) = skippable_frame(packed.peek(SKIPPABLE_HEADER)) {
        if io::copy(&mut packed.take(len), &mut io::sink())? < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

/// The data after any skippable frames.
fn without_skippable_frames(mut bytes: &[u8]) -> &[u8] {
    while let Some(rest) =
        skippable_frame(bytes).and_then(|len| bytes.get(usize::try_from(len).ok()?..))
    {
        bytes = rest;
    }
    bytes
}

/// Decodes zstd data whose last frame may have no end, which is how perf writes them. `ask` gets the
/// number of bytes so far.
pub(crate) fn unfinished_zstd(
    mut packed: Vec<u8>,
    limits: Limits,
    ask: &mut dyn FnMut(u64) -> Result<(), ReadError>,
    warnings: &mut Warnings,
) -> Result<Vec<u8>, ReadError> {
    packed.extend(LAST_EMPTY_RAW_BLOCK_AND_CHECKSUM);
    let len = packed.len() as u64;
    let mut out = Vec::new();
    let mut source = ZstdFrames::new(Packed::whole(packed));
    let read = loop {
        ask(out.len() as u64)?;
        let read = source.by_ref().take(STEP).read_to_end(&mut out);
        if out.len() as u64 > limits.max_inflated_bytes {
            return Err(too_large(Codec::Zstd, limits.max_inflated_bytes));
        }
        match read {
            Ok(0) => break Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::OutOfMemory => {
                return Err(ReadError::no_memory());
            }
            Err(error) => break Err(error),
        }
    };
    // If the frame did have an end, (part of) the appended one is left over, which is not a frame.
    let is_end = matches!(source, ZstdFrames::Broken(at) if len - at <= LAST_EMPTY_RAW_BLOCK_AND_CHECKSUM.len() as u64);
    if let Some(error) = read.err().filter(|_| !is_end) {
        warnings.add(WarningCode::Truncated, || {
            format!(
                "compressed records are corrupt ({error}); what was recorded before them is shown"
            )
        });
    }
    Ok(out)
}

/// A decoder with at least `n` bytes to read, or with the whole blocks of a truncated frame.
///
/// A decoder holds back up to one window of data until its frame ends, so the frame is ended by an
/// empty last block.
fn first_zstd_blocks(packed: &[u8], n: usize) -> FrameDecoder {
    let mut source = without_skippable_frames(packed);
    let mut frame = FrameDecoder::new();
    let _ = frame.init(&mut source);
    let _ = frame.decode_blocks(&mut source, BlockDecodingStrategy::UptoBytes(n));
    if !frame.is_finished() {
        let _ =
            frame.decode_blocks(&LAST_EMPTY_RAW_BLOCK_AND_CHECKSUM[..], BlockDecodingStrategy::All);
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::input;
    use flate2::{Compression, write::GzEncoder};
    use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn lz4(bytes: &[u8]) -> Vec<u8> {
        let info = FrameInfo::new().block_size(BlockSize::Max64KB);
        let info = info.content_checksum(true).block_checksums(true);
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn the_first_block_of_lz4_is_read_whole() {
        // Text that compresses too little for a block to fit into the prefix.
        let plain = text(3 << 20);
        for size in [BlockSize::Max64KB, BlockSize::Max4MB] {
            let info = FrameInfo::new().block_size(size).content_size(Some(plain.len() as u64));
            let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
            encoder.write_all(&plain).unwrap();
            let packed = encoder.finish().unwrap();
            assert_eq!(read_prefix(&*packed, 1000).unwrap(), plain[..1000]);
        }
        assert_eq!(read_prefix(&b"a;b 1"[..], 3).unwrap(), b"a;b");
    }

    /// Text that compresses, but not to almost nothing.
    fn text(n: usize) -> Vec<u8> {
        (0u32..)
            .flat_map(|i| {
                format!("main;f{} {}\n", i.wrapping_mul(2_654_435_761) >> 20, i).into_bytes()
            })
            .take(n)
            .collect()
    }

    fn run(bytes: Vec<u8>) -> Result<Vec<u8>, ReadError> {
        run_within(bytes, Limits::default())
    }

    fn run_within(bytes: Vec<u8>, limits: Limits) -> Result<Vec<u8>, ReadError> {
        let (bytes, cut) = input::whole(bytes.into(), limits)?;
        cut.map_or(Ok(bytes), Err)
    }

    #[test]
    fn two_layers_are_decompressed_and_a_third_is_rejected() {
        let plain = text(300_000);
        for packed in [
            gzip(&plain),
            zstd(&plain),
            lz4(&plain),
            gzip(&zstd(&plain)),
            zstd(&gzip(&plain)),
            gzip(&gzip(&plain)),
        ] {
            assert_eq!(run(packed).unwrap(), plain);
        }
        assert_eq!(run(plain.clone()).unwrap(), plain);
        assert_eq!(run(Vec::new()).unwrap(), b"");
        let error = run(gzip(&zstd(&gzip(&plain)))).unwrap_err();
        assert_eq!(
            (error.kind, error.to_string().as_str()),
            (ErrorKind::Malformed, "the data are compressed more than 2 times")
        );
    }

    #[test]
    fn members_frames_and_skippable_frames_follow_each_other() {
        let members = [gzip(b"a;b 1\n"), gzip(b""), gzip(b"c 2\n")].concat();
        assert_eq!(run(members).unwrap(), b"a;b 1\nc 2\n");
        let skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
        let frames =
            [&skippable[..], &zstd(b"a;b 1\n"), &skippable, &zstd(b"c 2\n"), &skippable].concat();
        assert_eq!(run(frames.clone()).unwrap(), b"a;b 1\nc 2\n");
        assert_eq!(&*prefix(&frames, 4), b"a;b ");
        assert_eq!(run([lz4(b"a;b 1\n"), lz4(b"c 2\n")].concat()).unwrap(), b"a;b 1\nc 2\n");
    }

    #[test]
    fn truncated_streams_are_errors_wherever_they_end() {
        let plain = text(60_000);
        for packed in [gzip(&plain), zstd(&plain), lz4(&plain)] {
            for end in (4..packed.len()).step_by(97).chain([packed.len() - 1]) {
                let error = run(packed[..end].to_vec()).unwrap_err();
                assert_eq!(error.kind, ErrorKind::Truncated, "{end}: {error}");
                assert!(plain.starts_with(&prefix(&packed[..end], 1000)));
            }
        }
    }

    #[test]
    fn corrupt_data_are_malformed_and_never_panic() {
        let plain = text(60_000);
        for packed in [gzip(&plain), zstd(&plain), lz4(&plain)] {
            for at in (10..packed.len()).step_by(61) {
                let mut broken = packed.clone();
                broken[at] ^= 0x55;
                match run(broken) {
                    Ok(bytes) => {
                        assert_eq!(bytes, plain, "byte {at} only matters if the data differ");
                    }
                    Err(error) => assert!(
                        matches!(error.kind, ErrorKind::Malformed | ErrorKind::Truncated),
                        "{error}"
                    ),
                }
            }
        }
        let mut broken = gzip(&plain);
        let crc = broken.len() - 8;
        broken[crc] ^= 1;
        let error = run(broken).unwrap_err();
        assert!(error.to_string().contains("the gzip data are corrupt"), "{error}");
        assert!(matches!(error.at, At::Byte(at) if at > 0));
    }

    #[test]
    fn decompression_bombs_stop_at_the_limit() {
        let bomb = gzip(&vec![0; 1 << 20]).repeat(3);
        let limits = Limits { max_inflated_bytes: 1 << 20 };
        let error = run_within(bomb.clone(), limits).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooLarge);
        assert!(error.to_string().contains("1048576"), "{error}");
        let exact = Limits { max_inflated_bytes: 3 << 20 };
        assert_eq!(run_within(bomb, exact).unwrap().len(), 3 << 20);
    }

    #[test]
    fn compressed_records_stop_at_the_limit() {
        let bomb = zstd(&vec![0; 3 << 20]);
        let inflated = |max_inflated_bytes| {
            let limits = Limits { max_inflated_bytes };
            unfinished_zstd(bomb.clone(), limits, &mut |_| Ok(()), &mut Warnings::default())
        };
        assert_eq!(inflated(1 << 20).unwrap_err().kind, ErrorKind::TooLarge);
        assert_eq!(inflated(3 << 20).unwrap().len(), 3 << 20);
    }

    #[test]
    fn a_prefix_is_that_of_the_decompressed_data() {
        let plain = text(500_000);
        assert!(matches!(prefix(&plain, 100), Cow::Borrowed(front) if front == &plain[..100]));
        assert_eq!(&*prefix(b"ab", 100), b"ab");
        for packed in [gzip(&plain), zstd(&plain), lz4(&plain), gzip(&gzip(&plain))] {
            let front = &packed[..packed.len() / 2];
            assert_eq!(&*prefix(front, 4096), &plain[..4096]);
        }
        assert_eq!(&*prefix(&[0x1f, 0x8b], 10), b"");
        assert_eq!(&*prefix(&[0x28, 0xb5, 0x2f, 0xfd], 10), b"");
    }
}
