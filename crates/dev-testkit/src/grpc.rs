//! Connections for gRPC, to servers that speak it without TLS.

use std::net::SocketAddr;

use anyhow::Result;
use http::{Request, Response, Uri};
use hyper::{body::Incoming, client::conn::http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tonic::{body::Body, client::GrpcService};

/// A connection for a client that knows no address: its calls are completed here.
pub async fn connect(
    address: SocketAddr,
) -> Result<
    impl GrpcService<Body, ResponseBody = Incoming, Error = hyper::Error, Future: Send> + Clone,
> {
    let stream = tokio::net::TcpStream::connect(address).await?;
    let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(tower::service_fn(move |mut request: Request<Body>| {
        let mut sender = sender.clone();
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let uri: Uri = format!("http://{address}{path}").parse().unwrap_or_default();
        *request.uri_mut() = uri;
        async move {
            let response: Result<Response<Incoming>, hyper::Error> =
                sender.send_request(request).await;
            response
        }
    }))
}
