//! Bodies of streams: counted while they are open, and packed for clients that take it.

use std::{io::Write, sync::Arc};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use futures::{Stream, StreamExt, stream};
use http::{HeaderMap, HeaderValue, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::metrics::{Metrics, OpenStream};
use crate::encoding::Encoding;

/// Streams that are packed at the same time. Each takes a third of a megabyte; more than these go as they are.
const MAX_PACKED: usize = 128;

/// Looks after the streams of a server.
pub(super) struct Streams {
    places: Arc<Semaphore>,
}

impl Streams {
    pub(super) fn new() -> Self {
        Self { places: Arc::new(Semaphore::new(MAX_PACKED)) }
    }

    /// Counts a stream, and packs it if the client takes that. Any other response stays as it is.
    pub(super) fn dress(&self, metrics: &Metrics, asked: &HeaderMap, response: &mut Response) {
        let content_type = response.headers().get(header::CONTENT_TYPE);
        if content_type.is_none_or(|value| value != api_rest::sse::CONTENT_TYPE) {
            return;
        }
        let open = metrics.stream();
        let body = std::mem::take(response.body_mut());
        let headers = response.headers_mut();
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding, Authorization"));
        let place = Encoding::choose(asked, &[Encoding::Gzip])
            .and_then(|_| self.places.clone().try_acquire_owned().ok());
        *response.body_mut() = match place {
            Some(place) => {
                headers.insert(header::CONTENT_ENCODING, Encoding::Gzip.header());
                Body::from_stream(packed(body, open, place))
            }
            None => Body::from_stream(counted(body, open)),
        };
    }
}

fn counted(
    body: Body,
    open: OpenStream,
) -> impl Stream<Item = Result<Bytes, axum::Error>> + Send + 'static {
    body.into_data_stream().map(move |piece| {
        let _open = &open;
        piece
    })
}

/// A stream on its way through the packer.
struct Packing {
    /// `None` when all of it was read.
    body: Option<axum::body::BodyDataStream>,
    encoder: Option<GzEncoder<Vec<u8>>>,
    _open: OpenStream,
    _place: OwnedSemaphorePermit,
}

fn packed(
    body: Body,
    open: OpenStream,
    place: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<Bytes, axum::Error>> + Send + 'static {
    let packing = Packing {
        body: Some(body.into_data_stream()),
        encoder: Some(GzEncoder::new(Vec::new(), Compression::fast())),
        _open: open,
        _place: place,
    };
    stream::try_unfold(packing, |mut packing| async move {
        Ok(packing.next().await?.map(|piece| (piece, packing)))
    })
}

impl Packing {
    /// The next piece. Each is whole: what was said is not kept for what will be.
    async fn next(&mut self) -> Result<Option<Bytes>, axum::Error> {
        let Some(body) = &mut self.body else { return Ok(None) };
        if let Some(piece) = body.next().await.transpose()? {
            let Some(encoder) = &mut self.encoder else { return Ok(None) };
            encoder.write_all(&piece).and_then(|()| encoder.flush()).map_err(axum::Error::new)?;
            return Ok(Some(Bytes::from(std::mem::take(encoder.get_mut()))));
        }
        self.body = None;
        let end =
            self.encoder.take().map(GzEncoder::finish).transpose().map_err(axum::Error::new)?;
        Ok(end.map(Bytes::from))
    }
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, io::Read};

    use flate2::read::MultiGzDecoder;

    use super::*;

    fn response() -> Response {
        let pieces = ["data: 1\n\n", "data: 2\n\n"];
        let pieces = pieces.map(|text| Ok::<_, Infallible>(Bytes::from_static(text.as_bytes())));
        let mut response = Response::new(Body::from_stream(stream::iter(pieces)));
        let content_type = HeaderValue::from_static(api_rest::sse::CONTENT_TYPE);
        response.headers_mut().insert(header::CONTENT_TYPE, content_type);
        response
    }

    #[tokio::test]
    async fn a_packed_stream_tells_each_piece_at_once() {
        let (streams, metrics) = (Streams::new(), Metrics::default());
        let gzip = [(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"))];
        let mut response = response();
        streams.dress(&metrics, &HeaderMap::from_iter(gzip), &mut response);
        assert_eq!(response.headers()[header::CONTENT_ENCODING], "gzip");
        let mut pieces = response.into_body().into_data_stream();
        let first = pieces.next().await.unwrap().unwrap();
        let mut text = [0; 9];
        MultiGzDecoder::new(&*first).read_exact(&mut text).unwrap();
        assert_eq!(&text, b"data: 1\n\n");
        assert_eq!(streams.places.available_permits(), MAX_PACKED - 1);
        let mut all = first.to_vec();
        while let Some(piece) = pieces.next().await {
            all.extend_from_slice(&piece.unwrap());
        }
        let mut text = String::new();
        MultiGzDecoder::new(&*all).read_to_string(&mut text).unwrap();
        assert_eq!(text, "data: 1\n\ndata: 2\n\n");
        drop(pieces);
        assert_eq!(streams.places.available_permits(), MAX_PACKED);
    }

    #[tokio::test]
    async fn who_does_not_ask_or_comes_too_late_gets_it_plain() {
        let (streams, metrics) = (Streams::new(), Metrics::default());
        let gzip = [(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"))];
        let _taken: Vec<_> =
            (0..MAX_PACKED).map(|_| streams.places.clone().try_acquire_owned().unwrap()).collect();
        for asked in [HeaderMap::new(), HeaderMap::from_iter(gzip)] {
            let mut response = response();
            streams.dress(&metrics, &asked, &mut response);
            assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
            let body = axum::body::to_bytes(response.into_body(), 100).await.unwrap();
            assert_eq!(&*body, b"data: 1\n\ndata: 2\n\n");
        }
    }
}
